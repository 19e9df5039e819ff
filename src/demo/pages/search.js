// Suggestions while typing. The list lies over the button, as it does on many real sites: Enter searches, Escape closes.
for (const box of document.querySelectorAll('[data-search]')) {
  const input = box.querySelector('[role=combobox]');
  const list = box.querySelector('[role=listbox]');
  const echo = list.querySelector('[data-echo]');
  const show = (open) => {
    list.hidden = !open;
    input.setAttribute('aria-expanded', String(open));
  };
  input.addEventListener('input', () => {
    const typed = input.value.trim().toLowerCase();
    echo.textContent = `Search for “${input.value.trim()}”`;
    let left = 5;
    for (const option of list.querySelectorAll('[role=option]:not([data-echo])')) {
      option.hidden = !(option.textContent.toLowerCase().includes(typed) && left-- > 0);
    }
    show(typed !== '');
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') show(false);
  });
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role=option]');
    if (!option) return;
    if (!('echo' in option.dataset)) input.value = option.textContent;
    box.requestSubmit();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!box.contains(event.target)) show(false);
  });
}

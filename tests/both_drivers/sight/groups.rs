//! The pages of applications that nobody here wrote and of servers that behave badly, and how each is brought to a state that is the
//! same at each load.

use crate::sight::apps::App;

/// Signs in to Django's admin, at [`DJANGO`]'s first page.
pub(crate) fn into_django() -> String {
    sign_in("[name=username]", "[name=password]", "[type=submit]")
}

/// Signs in to Roundup, at [`ROUNDUP`]'s first page.
pub(crate) fn into_roundup() -> String {
    sign_in(
        "input[name=__login_name]",
        "input[name=__login_password]",
        "input[type=submit][value=Login]",
    )
}

fn sign_in(user: &str, password: &str, button: &str) -> String {
    format!(
        "document.querySelector('{user}').value = {:?}, document.querySelector('{password}').value = {:?}, \
         document.querySelector('{button}').click()",
        App::USER,
        App::PASSWORD
    )
}

/// Django's admin. The first is measured before the sign-in.
pub(crate) const DJANGO: [&str; 12] = [
    "/admin/login/?next=/admin/",
    "/admin/",
    "/admin/booking/booking/",
    "/admin/booking/booking/?q=Choir",
    "/admin/booking/room/",
    "/admin/booking/booking/add/",
    "/admin/booking/booking/1/change/",
    "/admin/booking/booking/2/delete/",
    "/admin/booking/booking/1/history/",
    "/admin/auth/user/",
    "/admin/auth/user/1/change/",
    "/admin/password_change/",
];

/// Roundup. The first is measured before the sign-in.
pub(crate) const ROUNDUP: [&str; 9] = [
    "/",
    "/issue?@sort=-activity&@group=priority&@columns=id,activity,title,creator,status",
    "/issue3",
    "/issue?@template=item",
    "/issue?@template=search",
    "/user",
    "/user1",
    "/keyword?@template=item",
    "/query?@template=edit",
];

/// Hostile pages, each with a script that stills what never rests. Left out are those that show no document, whose script does not
/// return when it is pressed or asked, that grow between two looks, or that are nested deeper than the witness can walk.
pub(crate) const HOSTILE: [(&str, &str); 33] = [
    ("plain", ""),
    ("alert-on-load", ""),
    ("alert-on-click", ""),
    ("guarded", ""),
    ("popup", ""),
    ("blank-target", ""),
    ("popups", ""),
    ("tiny", ""),
    ("opens", ""),
    ("opens-a-short-life", ""),
    ("closes-itself", ""),
    ("offers", ""),
    ("frame", ""),
    ("frame-elsewhere", ""),
    ("frames-in-frames", ""),
    ("inner", ""),
    ("shadow", ""),
    ("closed-shadow", ""),
    ("much", ""),
    ("crowd?400", ""),
    ("endless-scroll", ""),
    ("rewrites-itself", "n = 6; write();"),
    (
        "never-settles",
        "requestAnimationFrame = () => 0; t.textContent = 'still';",
    ),
    ("half", ""),
    ("reset-midway", ""),
    ("short", ""),
    ("error-500", ""),
    ("bad-bytes", ""),
    ("slow-link", ""),
    ("names", ""),
    ("title", ""),
    ("speaks", ""),
    ("no-such-page", ""),
];

/// A script as what readies a page, with its timers stopped.
pub(crate) fn stilled(script: &str) -> String {
    if script.is_empty() {
        return "0".to_owned();
    }
    format!("(() => {{ for (let id = 1; id < 9999; id++) clearInterval(id); {script} }})()")
}

//! The lists of the table, by concept. Within a list, phrases are separated by commas.

use std::sync::LazyLock;

use super::{Phrases, listed, text, words};

macro_rules! phrases {
    ($words:path; $($(#[$doc:meta])* $name:ident = [$($list:tt)*];)*) => {$(
        $(#[$doc])*
        pub(crate) static $name: Phrases = Phrases {
            list: LazyLock::new(|| listed(&[$($list),*], $words)),
            words: $words,
        };
    )*};
}

/// Words of a request to log in, for [`LOGIN`] and [`ACCOUNT`].
const LOGIN_WORDS: &str = "log in,login,log on,log into,sign in,sign into,signin,ingresar,s identifier,aanmelden,acessar,entra,anmelden,anmeldung,\
    einloggen,connexion,se connecter,identifiez vous,iniciar sesión,inicia sesión,acceder,entrar,iniciar sessão,accedi,inloggen,\
    logga in,logg inn,log ind,kirjaudu,zaloguj,přihlásit,bejelentkezés,giriş yap,oturum aç,войти,вход,увійти,σύνδεση,התחברות,\
    تسجيل الدخول,ورود,เข้าสู่ระบบ,đăng nhập,masuk,ログイン,サインイン,登录,登錄,登入,로그인";
/// Words of a cart or a checkout, for [`CART`] and [`BASKET`].
const CART_WORDS: &str = "cart,basket,shopping bag,checkout,check out,warenkorb,einkaufswagen,kasse,panier,carrito,cesta,carrinho,carrello,winkelwagen,\
    winkelmand,varukorg,handlekurv,indkøbskurv,ostoskori,koszyk,košík,kosár,sepet,sepetim,корзина,кошик,καλάθι,עגלה,סל קניות,سلة,\
    سلة التسوق,عربة التسوق,سبد خرید,कार्ट,ตะกร้า,giỏ hàng,keranjang,カート,買い物かご,购物车,購物車,结账,結帳,장바구니";

/// Phrases for acts that cannot be undone, other than [`DESTROYS`]. On a button they count anywhere in its label.
pub(crate) static GRAVE: [&Phrases; 6] = [&PAYS, &PUBLISHES, &ORDERS, &ENDS, &GRANTS, &OPERATES];

/// Those of [`GRAVE`] whose phrases are found with other words in them.
pub(crate) static SPREAD: [&Phrases; 4] = [&ORDERS, &ENDS, &GRANTS, &OPERATES];

phrases! {
    words;
    PAYS = [
        "pay,buy,purchase,confirm payment,submit payment,make payment,complete payment,send payment,authorize payment"
        "authorise payment,approve payment,release payment,release funds,donate,transfer,wire money,schedule payment,withdraw,cash out,pay out"
        "place bid,submit bid,confirm bid,place bet,place trade,charge card,issue refund,refund,request refund"
        "request payout,mark as paid"
        "bezahlen,zahlen,kaufen,überweisen,überweisung ausführen,spenden,zahlungspflichtig,zahlung bestätigen,abheben,erstatten"
        "payer,acheter,confirmer paiement,valider paiement,faire don,virer,transférer,rembourser"
        "pagar,comprar,confirmar compra,finalizar compra,confirmar pago,donar,transferir,reembolsar"
        "pagare,acquista,acquistare,comprare,conferma acquisto,conferma pagamento,effettua bonifico,conferma bonifico"
        "trasferisci,rimborsa,doar,confirmar pagamento,betalen,kopen,overmaken,terugbetalen,zapłać,kup,kupuję,przelej"
        "купить,оплатить,перевести деньги,пожертвовать,購入,支払,お支払い,振込,振り込,送金,寄付,购买,購買,付款,支付,转账,轉帳"
        "汇款,匯款,捐款,결제,구매,송금,satın al,اشتر,شراء"
    ];
    ORDERS = [
        "place order,confirm order,submit order,complete order,finish order,send order,order and pay,confirm purchase"
        "confirm booking,complete booking,confirm reservation,book appointment,book room,book table,start subscription,start free trial,start trial"
        "change plan,upgrade plan,downgrade plan,renew subscription,accept offer,accept quote,accept bid,accept contract"
        "bestellen,bestellung abschicken,bestellung aufgeben,bestellung abschließen,bestellung bestätigen,verbindlich buchen"
        "passer commande,confirmer commande,valider commande,realizar pedido,confirmar pedido,hacer pedido"
        "enviar pedido,tramitar pedido,invia ordine,conferma ordine,effettua ordine,completa ordine,fazer pedido"
        "finalizar pedido,confirmar reserva,confirmer réservation,buchung bestätigen,termin buchen,zamawiam,złóż zamówienie"
        "заказать,оформить заказ,подтвердить заказ,注文を確定,注文する,予約を確定,下单,下單,提交订单,提交訂單,确认订单,確認訂單"
        "주문하기"
    ];
    /// Phrases for deleting something. They count in links too, and as the word of an address.
    DESTROYS = [
        "delete,remove,erase,destroy,wipe,purge,shred,uninstall,factory reset,drop table,drop database,empty trash,empty bin"
        "move to trash,move to bin,discard,clear history,clear data,clear all data,clear database,reset device,reset all settings"
        "format disk,format drive,format card,reset to factory,löschen,loeschen,entfernen,vernichten,verwerfen,verlauf leeren,papierkorb leeren"
        "supprimer,effacer,retirer,vider corbeille,eliminar,borrar,suprimir,quitar,vaciar papelera,elimina,eliminare,cancella"
        "cancellare,rimuovi,rimuovere,svuota cestino,excluir,apagar,deletar,verwijderen,usuń,skasuj,удалить"
        "стереть,видалити,削除,消去,删除,刪除,移除,清空,清除记录,삭제,제거,ta bort,slet,slett,poista,smazat,törlés,sil,kaldır,حذف"
    ];
    /// Phrases for ending a contract, a membership or an account.
    ENDS = [
        "unsubscribe,deactivate,terminate,revoke,close account,cancel subscription,cancel membership,cancel plan,cancel order"
        "cancel booking,cancel reservation,cancel appointment,cancel account,cancel contract,cancel policy,cancel trip"
        "cancel flight,cancel service,cancel license,cancel licence,cancel event,cancel meeting,cancel registration,end contract"
        "end subscription,end membership,end lease,leave group,leave team,leave organization,leave organisation,leave company"
        "resign,quit job,give notice,hand in notice,leave server,drop course,drop class,suspend account,disable account,lock account,disconnect account"
        "unfriend,evict,forfeit,write off,stop subscription"
        "abbestellen,kündigen,kündigung,stornieren,konto schließen,austreten,vertrag beenden,abo beenden,widerrufen"
        "désabonner,résilier,annuler commande,annuler abonnement,annuler réservation,clôturer compte,fermer compte,démissionner"
        "darse de baja,cancelar suscripción,cancelar pedido,cancelar reserva,cancelar contrato,cerrar cuenta,rescindir"
        "disiscriviti,annulla iscrizione,annulla ordine,disdici,disdire,recedi,chiudi account,cancelar assinatura"
        "cancelar inscrição,encerrar conta,opzeggen,uitschrijven,rozwiąż umowę,anuluj subskrypcję,отписаться,расторгнуть"
        "退会,解約,退订,退訂,取消订阅,取消訂閱,取消订单,取消訂單,注销,註銷,解除契約,탈퇴,구독 취소,해지"
    ];
    /// Phrases for making something public or sending it to many.
    PUBLISHES = [
        "publish,unpublish,republish,share publicly,share with everyone,share with all,go live,broadcast"
        "post comment,post reply,post review,post message,post update,post job,post ad,retweet,invite all,invite everyone"
        "notify all,notify everyone,email all,email everyone,message all,send invitation,send invitations,send invite,send invites"
        "veröffentlichen,öffentlich teilen,alle einladen,alle benachrichtigen,publier,partager publiquement,inviter tous,publicar"
        "compartir públicamente,invitar a todos,pubblicare,condividi pubblicamente,invita tutti,compartilhar publicamente"
        "convidar todos,publiceren,iedereen uitnodigen,opublikuj,zaproś wszystkich,опубликовать,пригласить всех,公開する,投稿する"
        "全員を招待,发布,發布,發佈,公开分享,邀请所有人,게시"
    ];
    /// Phrases for giving someone rights, or a signature.
    GRANTS = [
        "make public,grant access,grant permission,grant permissions,grant rights,give access,make admin,make administrator,make owner"
        "promote to admin,transfer ownership,change owner,add admin,sign contract,sign document,sign agreement,sign and send"
        "sign and submit,accept and sign,cast vote,regenerate key,regenerate token,rotate key,rotate keys,reset token"
        "zugriff gewähren,zugriff erteilen,berechtigung erteilen,vertrag unterschreiben,dokument unterschreiben,stimme abgeben"
        "accorder accès,donner accès,signer contrat,conceder acceso,dar acceso,firmar contrato,concedi accesso,firma contratto"
        "conceder acesso,assinar contrato,toegang verlenen,przyznaj dostęp,предоставить доступ,подписать договор,署名する,签署,授权"
    ];
    /// Phrases for submitting what cannot be taken back, and for operating machines.
    OPERATES = [
        "submit application,submit claim,submit exam,submit test,submit assignment,submit answers,submit report,submit complaint"
        "submit request,submit review,submit proposal,submit return,submit declaration,submit ballot,submit vote,submit ticket"
        "submit offer,submit feedback,submit registration,submit resignation,submit notice,submit appeal,submit paper"
        "submit manuscript,submit timesheet,submit expense,submit expenses,submit invoice,send application,apply for job"
        "apply for position,apply for loan,file complaint,file claim,file return,file report,lodge complaint,report user"
        "report abuse,merge pull request,merge request,merge branch,squash and merge,rebase and merge,force restart,close poll,reboot,restart server,restart service"
        "restart machine,restart instance,restart device,restart computer,restart system,shut down,shutdown,power off,turn off server"
        "stop server,stop service,stop instance,kill process,kill session,force push,force stop,roll back,rollback,overwrite"
        "restore backup,restore snapshot,run migration,deploy to production,flush cache,clear cache,bewerbung absenden"
        "antrag absenden,antrag stellen,neu starten,herunterfahren,ausschalten,zurücksetzen auf werkseinstellungen"
        "envoyer candidature,redémarrer,éteindre,enviar solicitud,reiniciar,apagar servidor,invia candidatura,riavvia,spegni"
        "enviar candidatura,aanvraag indienen,herstarten,uruchom ponownie,перезагрузить,выключить,再起動,申請する"
        "シャットダウン,重启,重啟,关机,提交申请,재시작"
    ];
    /// Verbs that can be nouns too. On a button they count only at the beginning of its label: "Archive project", but not
    /// "Product archive".
    VERBS = [
        "archive,retire,reserve,sell,merge,deploy,approve,sign,vote,ban,block,expel,fire,suspend,release,dispatch,execute,enroll,enrol,subscribe"
        "grant,authorize,authorise,finalize,finalise,void,revert,redeem,claim,rsvp,promote,demote,kick,submit and,save and send"
        "archivieren,reservieren,genehmigen,unterschreiben,unterzeichnen,sperren,freigeben,abonnieren,abstimmen,archiver,réserver"
        "commander,approuver,signer,bloquer,voter,archivar,reservar,aprobar,firmar,bloquear,votar,archivia,prenota,approva,blocca,arquivar"
        "aprovar,assinar,archiveren,reserveren,goedkeuren,ondertekenen,blokkeren,zarchiwizuj,zarezerwuj,zatwierdź,podpisz,zablokuj"
        "архивировать,забронировать,одобрить,подписать,заблокировать,承認,予約する,署名,批准,预订,預訂,签名,승인,예약하기,서명"
    ];
    /// Phrases for acts that cannot be undone, if they are the whole label. In a longer label they are ignored.
    GRAVE_ALONE = [
        "order,post,tweet,subscribe,reserve,book,bid,sell,upgrade,sign,merge,deploy,approve,vote,commit,push,remover,dona,paga,bestellung,compra,pubblica,publica,公開,投稿,注文"
    ];
    /// Phrases that show that something is for sale. They count if the label contains a price and begins or ends with
    /// such a phrase.
    SELLS = [
        "book,order,reserve,rent,hire,get,upgrade,renew,subscribe,join,bid,bet,checkout,check out,confirm,tip,enroll"
        "preorder,pre order,top up,unlock,redeem,register,start trial,book and pay"
        "buchen,reservieren,mieten,verlängern,abonnieren,bieten,réserver,louer,renouveler,reservar,alquilar,renovar"
        "prenota,prenotare,noleggia,rinnova,boeken,reserveren,huren,zarezerwuj,zamów,забронировать,арендовать"
        "予約,预订,預訂,订购,訂購,예약"
    ];
    /// Phrases for sending something. In a login or a search, where the ordinary button has such a label, they do not
    /// count.
    SENDS = [
        "send,senden,absenden,abschicken,verschicken,envoyer,enviar,invia,inviare,verzenden,versturen,wyślij,отправить,送信,发送,發送"
        "보내기,skicka,إرسال"
    ];
    /// Harmless phrases that contain a phrase of another list, such as "order history". They are removed from a label
    /// before the label is searched.
    EXEMPT = [
        "order history,order details,order detail,order status,order number,order summary,order tracking,order list"
        "order date,order id,order by,order confirmation,order overview,sort order,view order,track order,purchase history"
        "purchase details,purchase date,transfer history,transfer details,transfer status,buy again,best buy,how to buy"
        "where to buy,why buy,how to pay,ways to pay,pay monthly options,pay later options"
        "remove filter,remove filters,delete filter,delete filters,remove from cart,remove from basket,remove from bag"
        "remove from wishlist,remove from favorites,remove from favourites,remove from comparison,remove from compare"
        "remove from list,reject cookies,decline cookies,remove bookmark,remove formatting,discard filters,clear filters"
        "send code,send verification code,send security code,send me code,send me verification code,send otp,send password reset"
        "send reset link,send link,send login link,send magic link"
        "cancel transfer,cancel payment,cancel purchase,cancel delete,cancel deletion,cancel send"
        "sign in,sign up,sign on,sign out,sign off,sign language,release notes,release date,claim status,vote count,sign into,sign me in,sign you in,sign back in,sign for,unsubscribe at any time"
        "unsubscribe any time,unsubscribe anytime,block inserter,block navigation,block type,fire tv,claim account,post code,post codes"
        "filter entfernen,filter löschen,aus warenkorb entfernen,bestellungen ansehen,code senden"
        "retirer du panier,supprimer du panier,supprimer filtre,supprimer filtres,effacer filtres"
        "envoyer code,eliminar filtro,eliminar filtros,borrar filtros,quitar filtro,quitar filtros,eliminar del carrito"
        "quitar del carrito,cómo comprar,cómo pagar,enviar código,rimuovi filtro,rimuovi filtri,cancella filtri"
        "rimuovi dal carrello,invia codice,remover filtro,remover filtros,limpar filtros,remover do carrinho,como comprar"
        "購入履歴,購入手続き,購入方法,注文履歴,支払い方法,支払方法,送信済み,カートから削除,フィルターを削除"
        "购买记录,購買紀錄,支付方式,付款方式,已发送,已發送,发布时间,发布日期,移除筛选,구매내역,구매 내역,결제 수단,결제수단"
    ];
    /// Phrases at the beginning of the label of a button that says yes.
    AGREES = [
        "yes,ok,okay,confirm,accept,agree,sure,submit,complete,finish,finalize,i agree,i accept,i confirm,i understand,understood,got"
        "verify,ja,bestätigen,zustimmen,akzeptieren,einverstanden,verstanden,oui,confirmer,accepter,valider,sí,aceptar,confirmar,sim"
        "aceitar,conferma,accetta,bevestigen,akkoord,tak,potwierdź,да,подтвердить,принять,はい,確認,確定,実行,是,确定,确认,同意,예,확인"
        "동의"
    ];
    /// Phrases at the beginning of the label of a button that continues to the next part of a dialog.
    GOES_ON = [
        "continue,proceed,weiter,fortfahren,continuer,poursuivre,continuar,continua,avanti,avançar,verder,doorgaan,kontynuuj"
        "продолжить,続行,继续,繼續,계속"
    ];
    /// Phrases at the beginning of the label of a button that leads to the next of several pages, as in a list of results.
    NEXT = ["next,suivant,siguiente,próximo,volgende,dalej,далее,次へ,下一步,다음"];
    /// Phrases at the beginning of the label of a button that says no, or that only shows or hides something.
    HARMLESS = [
        "cancel,close,back,dismiss,show,hide,toggle,view,help,clear,copy,generate,menu,no,forgot,continue shopping,continue reading"
        "next page,next month,next slide,next image,abbrechen,schließen,zurück,anzeigen,passwort vergessen,weiter einkaufen"
        "annuler,fermer,afficher,cancelar,cerrar,mostrar,ocultar,volver,fechar,voltar,annulla,chiudi,mostra,indietro,キャンセル,閉じる"
        "戻る,表示,取消,关闭,關閉,返回,显示,취소,닫기"
    ];
    /// Labels that start something, and do not say what.
    STARTS = [
        "go,start,begin,run,execute,perform,do,starten,ausführen,durchführen,démarrer,lancer,exécuter,iniciar,ejecutar,avvia,esegui"
        "executar,uitvoeren,uruchom,wykonaj,начать,выполнить,開始,実行,开始,执行,시작,실행"
    ];
    /// Labels that do what is chosen elsewhere.
    APPLIES = [
        "apply,save,done,anwenden,übernehmen,speichern,appliquer,enregistrer,aplicar,guardar,applica,salva,salvar,toepassen,opslaan,zastosuj"
        "zapisz,применить,сохранить,適用,保存,应用,적용,저장"
    ];
    /// Phrases for rejecting something. In a request for consent to cookies they are harmless.
    REJECTS = [
        "reject,decline,refuse,ablehnen,absagen,refuser,rejeter,décliner,rechazar,rifiuta,rejeitar,recusar,afwijzen,weigeren,odrzuć"
        "отклонить,отказать,却下,拒否,辞退,拒绝,拒絕,거절"
    ];
    /// The names of a bin.
    BIN = [
        "trash,bin,recycle bin,rubbish,wastebasket,papierkorb,corbeille,papelera,cestino,lixeira,prullenbak,kosz,корзина,ゴミ箱,回收站,휴지통"
    ];
    /// Words of a greeting over a login.
    WELCOME = [
        "welcome,welcome back,willkommen,bienvenue,bienvenido,benvenuto,bem vindo,welkom,witaj,добро пожаловать,ようこそ,欢迎,환영"
    ];
    /// Words for what was sent. They count in sentences that ask or announce, unless a code is sent.
    SENT = [
        "sent,gesendet,verschickt,versandt,envoyé,envoyés,envoyée,envoyées,enviado,enviada,enviados,inviato,inviata,inviati,verzonden"
        "wysłane,отправлено,отправлены,送信され,被发送,전송됩니다"
    ];
    /// What a login or a password reset sends.
    CODES = ["code,codes,pin,otp,link,e mail,email,mail,sms,password,passwort,contraseña,senha,código,コード,验证码,인증"];
    /// Phrases in a sentence that asks whether to do something.
    ASKS = [
        "are you sure,you sure,really,do you want to,would you like to,about to,going to,permanently,hereby,sind sie sicher"
        "wirklich,möchten,wollen,endgültig,unwiderruflich,êtes vous sûr,vraiment,voulez vous,définitivement,está seguro,realmente"
        "desea,quiere,sei sicuro,davvero,vuoi,definitivamente,tem certeza,deseja,weet je zeker,weet u zeker,czy na pewno,naprawdę"
        "вы уверены,действительно,хотите,本当に,しますか,确定要,是否,정말"
    ];
    /// Phrases in a sentence that says what a button does, or what will happen.
    TELLS = [
        "will,will be,click,press,tap,confirm,confirms,by continuing,by clicking,by proceeding,enter password,type password,with password"
        "password to,to confirm,to continue,to proceed,type,klicken,drücken,wird,werden,bestätigen,geben ein,passwort,cliquez,confirmer"
        "va,mot de passe,haga clic,confirmar,contraseña,será,clicca,confermare,clique,senha,wilt,klik,wachtwoord,kliknij,нажмите,пароль"
        "パスワード,点击,密码"
    ];
    /// Phrases that say that something cannot be undone.
    FINAL = [
        "cannot be undone,can not be undone,can t be undone,irreversible,irrevocable,no way back,no undo"
        "kann nicht rückgängig,nicht rückgängig gemacht,unwiderruflich,irréversible,ne peut pas être annulé,ne pourra pas être annulé"
        "no se puede deshacer,irreversible,non può essere annullata,irreversibile,não pode ser desfeita,kan niet ongedaan"
        "nie można cofnąć,нельзя отменить,необратимо,元に戻せません,取り消せません,无法撤销,不可撤销,无法恢复,되돌릴 수 없"
    ];
    /// Words for such acts in other forms than those of a label. They count in sentences that ask or announce.
    DONE = [
        "deleted,deletes,deleting,removed,removes,erased,erases,destroyed,destroys,wiped,wipes,terminates,cancels,transfers,publishes,"
        "charged,debited,billed,paid,transferred,published,cancelled,canceled"
        "terminated,revoked,signed,ordered,purchased,bought,granted,restarted,rebooted,archived,gelöscht,löscht,entfernt,abgebucht"
        "belastet,bezahlt,überwiesen,veröffentlicht,gekündigt,bestellt,storniert,supprimé,supprimée,supprimés,débité,payé,publié"
        "résilié,commandé,eliminado,eliminada,borrado,cobrado,publicado,cancelado,eliminato,eliminata,addebitato,excluído,excluída"
        "cobrada,verwijderd,usunięte,удален,удалены,списано,削除され,被删除,扣款,삭제됩니다"
    ];
    /// Nouns for such acts. They count in the heading over a button that says yes.
    MATTERS = [
        "payment,purchase,deletion,removal,transfer,withdrawal,cancellation,termination,resignation,donation,contract,order,bid"
        "publication,signature,zahlung,überweisung,kauf,löschung,kündigung,bestellung,vertrag"
        "spende,unterschrift,paiement,virement,achat,suppression,résiliation,commande,contrat,pago,transferencia,compra"
        "eliminación,baja,pedido,contrato,pagamento,bonifico,acquisto,cancellazione,ordine,contratto,transferência,exclusão"
        "betaling,overschrijving,bestelling,płatność,przelew,zamówienie,платеж,перевод,заказ,удаление,договор,支払い,購入,注文,契約"
        "退会,支付,订单,订购,转账,合同"
    ];
    /// Words of a request for consent, which often says what can be deleted or withdrawn later.
    CONSENT = [
        "cookie,cookies,consent,privacy,tracking,personal information,partners,notification,notifications,newsletter,location,einwilligung,datenschutz,consentement,confidentialité,privacidad,consentimiento"
        "consenso,privacidade,toestemming,zgoda,prywatności,クッキー,隐私"
    ];
    /// Words of a request for consent to cookies.
    COOKIES = ["cookie,cookies,クッキー"];
    /// Labels of a button that creates an account.
    SIGNS_UP = [
        "sign up,signup,register,create account,create new account,registrieren,konto erstellen,s inscrire,créer compte,créer un compte"
        "registrarse,crear cuenta,registrati,crea account,cadastre se,criar conta,registreren,zarejestruj,зарегистрироваться,新規登録"
        "会員登録,注册,註冊,회원가입"
    ];
    /// Words in the label of a field whose text Enter sends to somebody.
    MESSAGE = [
        "message,msg,comment,reply,write to,tweet,write post,what s happening,say something,respond,answer to,nachricht,kommentar"
        "antworten,antwort,message à,commentaire,répondre,mensaje,comentario,responder,messaggio,commento,rispondi,mensagem"
        "comentário,bericht,reactie,wiadomość,komentarz,odpowiedz,сообщение,комментарий,ответить,メッセージ,コメント,返信,消息,评论"
        "留言,回复,메시지,댓글"
    ];
    /// Words that lead to an account, or that log out.
    ACCOUNT = [
        LOGIN_WORDS
        "logon,sso,oauth,logout,log out,log off,logoff,signout,sign out,registration,join,account,profile,password,abmelden,ausloggen,konto"
        "déconnexion,se déconnecter,inscription,compte,cerrar sesión,salir,cuenta,sair,terminar sessão,conta,esci,uitloggen,logga ut,wyloguj"
        "giriş,çıkış,üye ol,hesabım,выйти,выход,регистрация,аккаунт,личный кабинет,вийти,تسجيل الخروج,خروج,حسابي,ログアウト,マイページ,アカウント,退出,登出,账户"
        "로그아웃,내 계정,odhlásit,log ud,logg ut,αποσύνδεση,התנתקות,đăng xuất,लॉग आउट,लॉग इन,keluar,ออกจากระบบ"
    ];
    /// Words that lead to a purchase.
    BASKET = [
        CART_WORDS
        "order,payment,paiement,pago,оплата,注文,买"
    ];
    /// Words that stand before a price.
    AT_A_PRICE = ["for,at,fur,pour,por,per,voor,za"];
    /// Words that lead to other changes.
    CHANGES = [
        "cancel,undo,confirm,reset,retire,reject,approve,vote,order,subscribe,stornieren,abbrechen,annuler,cancelar,annulla,annuleren"
        "anuluj,iptal,отменить,إلغاء,取消,キャンセル,提交,취소"
    ];
    /// Verbs in addresses and links by which a person who is logged in changes something.
    COMMANDS = [
        "opt out,optout,poweroff,backup,cron,halt,sleep,disarm,invite,toggle,enable,disable,drop,run,restart,stop,kill,flush,restore,like,unlike,follow,unfollow,set,add,create,update,save"
        "clear,accept,decline,activate,import,rebuild,reindex,sync,trigger,start,impersonate,become,lock,unlock,mute,pin,unpin,mark"
        "assign,close,reopen,resolve,retry,requeue,drain,rotate,regenerate,switch,change,edit,move,rename,copy,clone,upload,install"
        "truncate,empty,turn on,turn off,spam,abort,duplicate,ship,maintenance,power on,mark,recalculate,rollback,eject,upgrade,downgrade,migrate,reload,refresh token,resend,submit,test,generate,link,unlink,connect,disconnect,make,hide,apply"
        "aktivieren,deaktivieren,hinzufügen,ändern,einladen,ausführen,ajouter,modifier,activer,añadir,activar,aggiungi,attiva"
        "toevoegen,dodaj,добавить,изменить,追加,変更,添加,修改,추가,변경"
    ];
}

phrases! {
    text::words;
    /// Words in the label of a password field.
    PASSWORD = [
        "password,passphrase,passcode,passwort,kennwort,mot de passe,contraseña,senha,palavra passe,wachtwoord,lösenord,passord,adgangskode"
        "salasana,hasło,heslo,jelszó,parola,şifre,пароль,κωδικός,סיסמה,كلمة المرور,كلمة السر,گذرواژه,पासवर्ड,รหัสผ่าน,mật khẩu,kata sandi,パスワード"
        "暗証番号,密码,密碼,비밀번호"
    ];
    /// Words in the heading of a request to log in.
    LOGIN = [LOGIN_WORDS];
    /// Words in the label of a field that asks for a user name, an email address or a phone number.
    USER = [
        "user,username,user name,user id,email,e mail,mail,account,phone,phone number,mobile,benutzer,benutzername,nutzername,konto,identifiant"
        "utilisateur,courriel,usuario,correo,usuário,utente,gebruikersnaam,användarnamn,użytkownik,пользователь,логин,почта,ユーザー名,ユーザー,メール,用户名"
        "用戶名,邮箱,账号,帳號,아이디,이메일,اسم المستخدم,البريد"
    ];
    /// Words in the label of a search field or of its button.
    SEARCH = [
        "search,suche,suchen,durchsuchen,buscar,búsqueda,recherche,rechercher,cerca,ricerca,pesquisar,pesquisa,zoeken,sök,søk,søg,hae,szukaj"
        "hledat,keresés,ara,поиск,найти,пошук,αναζήτηση,חיפוש,بحث,ابحث,البحث,جستجو,खोजें,ค้นหา,tìm kiếm,cari,検索,搜索,搜尋,搜寻,검색"
    ];
    /// Words in the heading of a cart or a checkout.
    CART = [CART_WORDS "レジ"];
    /// Words in the heading of a page which says that the requested page could not be shown.
    ERROR = [
        "not found,page not found,error,forbidden,access denied,bad gateway,service unavailable,server error,nicht gefunden,fehler,introuvable"
        "erreur,no encontrada,no encontrado,não encontrada,non trovata,niet gevonden,hittades inte,nie znaleziono,nenalezena,bulunamadı"
        "не найдена,не найдено,ошибка,δεν βρέθηκε,לא נמצא,غير موجودة,غير موجود,خطأ,یافت نشد,ไม่พบ,không tìm thấy,tidak ditemukan,見つかりません,エラー"
        "未找到,找不到,错误,錯誤,찾을 수 없습니다,오류"
    ];
    /// Words in the path of a login page. They are mostly English, because most sites use English words in paths.
    LOGIN_PATH = [
        "login,log in,signin,sign in,logon,auth,sso,session new,sessions new,anmelden,anmeldung,connexion,iniciar sesion,accedi,inloggen,entrar"
    ];
    /// Words in the path of a cart or a checkout.
    CART_PATH = [
        "cart,basket,bag,checkout,warenkorb,kasse,panier,carrito,carrinho,carrello"
    ];
    /// Words in the path of search results.
    SEARCH_PATH = [
        "search,suche,buscar,recherche,results,find"
    ];
    /// Words in the name of a query parameter that asks the server for an action instead of a page.
    ACTION_KEYS = ["action,do,cmd,op,delete,remove,logout,add,vote,export"];
    /// Beginnings of what a page says while it loads.
    LOADS = [
        "loading,please wait,wird geladen,ladt,lade,chargement,cargando,carregando,caricamento,laden,laster,indlaeser,laddar,ladataan"
    ];
    /// Words that deny something, in the languages in which models answer most often.
    DENIES = [
        "no,not,none,nothing,nobody,never,neither,nor,cannot,without,doesn,don,didn,isn,aren,wasn,weren,hasn,haven,nicht,kein,keine"
    ];
}

/// Codes, names and abbreviations of currencies.
pub(crate) const CURRENCIES: &[&str] = &[
    "usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "cad", "aud", "brl", "mxn", "krw", "sek",
    "nok", "dkk", "pln", "czk", "kr", "zl", "zł", "kč", "руб", "ريال", "درهم", "جنيه", "euro",
    "euros", "dollar", "dollars",
];

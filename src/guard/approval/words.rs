//! The words that make an action irreversible, in the languages most used on the web.
//!
//! A phrase is a list of whole words. It is compared in lower case, without accents and without [`FILLERS`]. Each
//! Chinese, Japanese or Korean character counts as a word.

use std::sync::LazyLock;

use super::label::words;

type Phrases = LazyLock<Vec<Vec<String>>>;

macro_rules! phrases {
    ($($(#[$doc:meta])* $name:ident = [$($list:literal)*];)*) => {$(
        $(#[$doc])*
        pub(super) static $name: Phrases = LazyLock::new(|| {
            [$($list),*].iter().flat_map(|list| list.split(',')).map(words).filter(|phrase| !phrase.is_empty()).collect()
        });
    )*};
}

/// Words that do not change the meaning of a label: articles, possessives, polite words, "now".
pub(super) const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "your",
    "my",
    "our",
    "this",
    "that",
    "these",
    "now",
    "please",
    "it",
    "der",
    "die",
    "das",
    "den",
    "dem",
    "ein",
    "eine",
    "ihre",
    "meine",
    "jetzt",
    "bitte",
    "le",
    "la",
    "les",
    "l",
    "un",
    "une",
    "votre",
    "ma",
    "mon",
    "mes",
    "ce",
    "cette",
    "maintenant",
    "el",
    "los",
    "las",
    "tu",
    "su",
    "mi",
    "este",
    "ahora",
    "il",
    "lo",
    "gli",
    "i",
    "ora",
    "adesso",
    "o",
    "os",
    "as",
    "seu",
    "sua",
    "agora",
];

pub(super) const CURRENCIES: &[&str] = &[
    "usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "cad", "aud", "brl", "mxn", "krw", "sek",
    "nok", "dkk", "pln", "czk", "kr", "zl", "euro", "euros", "dollar", "dollars",
];

/// Words that stand before a price.
pub(super) const AT_A_PRICE: &[&str] = &["for", "at", "fur", "pour", "por", "per", "voor", "za"];

phrases! {
    /// Phrases that show that something is for sale. A click on a button counts as irreversible if the button's label
    /// contains a price and begins or ends with such a phrase.
    SELLS = [
        "book,order,reserve,rent,hire,get,upgrade,renew,subscribe,join,bid,bet,checkout,check out,confirm,tip,enroll"
        "preorder,pre order,top up,unlock,redeem,register,start trial,book and pay"
        "buchen,reservieren,mieten,verlängern,abonnieren,bieten,réserver,louer,renouveler,reservar,alquilar,renovar"
        "prenota,prenotare,noleggia,rinnova,boeken,reserveren,huren,zarezerwuj,zamów,забронировать,арендовать"
        "予約,预订,預訂,订购,訂購,예약"
    ];
    /// Phrases for paying, ordering, deleting, publishing or ending something. A click on a button counts as
    /// irreversible if the button's label contains such a phrase anywhere.
    GRAVE = [
        "pay,buy,purchase,place order,confirm order,submit order,complete order,finish order,send order,order and pay"
        "confirm payment,submit payment,make payment,complete payment,send payment,authorize payment,authorise payment"
        "confirm booking,complete booking,confirm reservation,place bid,submit bid,confirm bid,donate,transfer,withdraw"
        "delete,remove,erase,destroy,wipe,empty trash,empty bin,uninstall,factory reset,drop table,drop database,discard"
        "publish,unsubscribe,deactivate,terminate,revoke,close account,cancel subscription,cancel membership,cancel plan"
        "cancel order,cancel booking,cancel reservation,cancel appointment,cancel account,start subscription"
        "post comment,post reply,post review,post message,accept offer,sign contract,sign and send,cast vote"
        // German
        "bezahlen,kaufen,bestellen,zahlungspflichtig,bestellung abschicken,bestellung aufgeben,bestellung abschließen"
        "bestellung bestätigen,zahlung bestätigen,überweisen,spenden,löschen,loeschen,entfernen,vernichten"
        "veröffentlichen,abbestellen,kündigen,stornieren,konto schließen,verbindlich buchen"
        // French
        "payer,acheter,commander,passer commande,confirmer commande,valider commande,confirmer paiement"
        "valider paiement,faire un don,virer,transférer,supprimer,effacer,retirer,publier,désabonner,résilier"
        "annuler commande,annuler abonnement,annuler réservation"
        // Spanish
        "pagar,comprar,realizar pedido,confirmar pedido,hacer pedido,enviar pedido,tramitar pedido,confirmar compra"
        "finalizar compra,confirmar pago,donar,transferir,eliminar,borrar,suprimir,quitar,publicar,darse de baja"
        "cancelar suscripción,cancelar pedido,cancelar reserva"
        // Italian
        "paga,pagare,acquista,acquistare,comprare,invia ordine,conferma ordine,effettua ordine,completa ordine"
        "conferma acquisto,conferma pagamento,effettua bonifico,conferma bonifico,dona,trasferisci,elimina,eliminare"
        "cancella,cancellare,rimuovi,rimuovere,pubblicare,disiscriviti,annulla iscrizione,annulla ordine,disdici"
        // Portuguese
        "fazer pedido,finalizar pedido,excluir,apagar,deletar,remover,cancelar assinatura,cancelar inscrição,doar"
        "encerrar conta,confirmar pagamento"
        // Dutch, Polish, Russian
        "betalen,kopen,bestellen,verwijderen,overmaken,opzeggen,zapłać,kup,kupuję,zamawiam,usuń,opublikuj"
        "купить,оплатить,заказать,оформить заказ,подтвердить заказ,удалить,перевести деньги,опубликовать,отписаться"
        // Japanese
        "購入,注文を確定,注文する,支払,お支払い,削除,振込,振り込,送金,公開する,投稿する,退会,解約,予約を確定,寄付"
        // Chinese
        "购买,購買,下单,下單,付款,支付,提交订单,提交訂單,确认订单,確認訂單,删除,刪除,移除,发布,發布,發佈,转账,轉帳"
        "汇款,匯款,退订,退訂,取消订阅,取消訂閱,取消订单,取消訂單,注销,註銷,捐款"
        // Korean
        "결제,구매,주문하기,삭제,송금,게시,탈퇴,구독 취소"
    ];
    /// Phrases that mean the same as those in [`GRAVE`] only if they are the whole label. In a longer label, they are
    /// ignored.
    GRAVE_ALONE = [
        "order,post,tweet,subscribe,reserve,book,bid,sell,sign,merge,deploy,approve,vote"
        "bestellung,compra,pubblica,publica,公開,投稿,注文"
    ];
    /// Phrases for sending something. A click on a button counts as irreversible if the button's label contains such a
    /// phrase. On login and search pages, where the ordinary button has such a label, the click does not count.
    SENDS = [
        "send,senden,verschicken,envoyer,enviar,invia,inviare,verzenden,versturen,wyślij,отправить"
        "送信,发送,發送,보내기"
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
        "remove from list,remove bookmark,remove formatting,discard filters"
        "send code,send verification code,send security code,send me code,send me verification code,send otp,send password reset"
        "cancel transfer,cancel payment,cancel purchase,cancel delete,cancel deletion,cancel send"
        "filter entfernen,filter löschen,aus warenkorb entfernen,bestellungen ansehen,code senden"
        "retirer du panier,supprimer du panier,supprimer filtre,supprimer filtres,supprimer filtres,effacer filtres"
        "envoyer code,eliminar filtro,eliminar filtros,borrar filtros,quitar filtro,quitar filtros,eliminar del carrito"
        "quitar del carrito,cómo comprar,cómo pagar,enviar código,rimuovi filtro,rimuovi filtri,cancella filtri"
        "rimuovi dal carrello,invia codice,remover filtro,remover filtros,limpar filtros,remover do carrinho,como comprar"
        "購入履歴,購入手続き,購入方法,注文履歴,支払い方法,支払方法,送信済み,カートから削除,フィルターを削除"
        "购买记录,購買紀錄,支付方式,付款方式,已发送,已發送,发布时间,发布日期,移除筛选,구매내역,구매 내역,결제 수단,결제수단"
    ];
    /// Phrases at the beginning of the label of a button that says yes.
    AGREES = [
        "yes,ok,okay,confirm,accept,agree,sure,submit,complete,finish,finalize"
        "ja,bestätigen,zustimmen,oui,confirmer,accepter,valider,sí,aceptar,confirmar,sim,aceitar,conferma,accetta"
        "да,подтвердить,はい,確認,確定,是,确定,确认,예,확인"
    ];
    /// Phrases at the beginning of the label of a button that continues to the next part of a dialog.
    GOES_ON = ["continue,proceed,next,weiter,fortfahren,continuer,continuar,continua,avanti,続行,次へ,继续,繼續,계속"];
    /// Phrases at the beginning of the label of a button that says no, or that only shows or hides something.
    HARMLESS = [
        "cancel,close,back,dismiss,show,hide,toggle,view,help,clear,copy,generate,menu,no"
        "abbrechen,schließen,zurück,anzeigen,annuler,fermer,afficher,cancelar,cerrar,mostrar,ocultar,volver,fechar,voltar"
        "annulla,chiudi,mostra,indietro,キャンセル,閉じる,戻る,表示,取消,关闭,關閉,返回,显示,취소,닫기"
    ];
}

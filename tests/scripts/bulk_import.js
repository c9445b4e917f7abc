// docs: an array of documents. Returns how many were created; the client sends the rest again.
function bulkImport(docs) {
    var collection = getContext().getCollection();
    var collectionLink = collection.getSelfLink();
    var created = 0;

    if (!docs) throw new Error('The array is undefined or null.');
    if (docs.length === 0) {
        getContext().getResponse().setBody(0);
        return;
    }
    createNext();

    function createNext() {
        var isAccepted = collection.createDocument(collectionLink, docs[created], onCreated);
        if (!isAccepted) getContext().getResponse().setBody(created);
    }

    function onCreated(err) {
        if (err) throw err;
        created++;
        if (created < docs.length) createNext();
        else getContext().getResponse().setBody(created);
    }
}

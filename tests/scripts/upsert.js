function upsert(document) {
    var context = getContext();
    var collection = context.getCollection();
    var response = context.getResponse();
    var query = 'SELECT * FROM root r WHERE r.id = "' + document.id + '"';

    collection.queryDocuments(collection.getSelfLink(), query, {}, function (err, found) {
        if (err) throw err;
        if (found.length === 0) {
            collection.createDocument(collection.getSelfLink(), document, {}, done('created'));
        } else {
            collection.replaceDocument(found[0]._self, document, {}, done('replaced'));
        }
    });

    function done(what) {
        return function (err, result) {
            if (err) throw err;
            response.setBody({ op: what, id: result.id });
        };
    }
}

/**
 * Deletes the results of a query in batches; returns how many, and whether there may be more.
 */
function bulkDelete(query) {
    var collection = getContext().getCollection();
    var response = getContext().getResponse();
    var body = { deleted: 0, continuation: true };

    if (!query) throw new Error('The query is undefined or null.');
    find();

    function find(continuation) {
        var options = { continuation: continuation };
        var isAccepted = collection.queryDocuments(collection.getSelfLink(), query, options,
            function (err, documents, responseOptions) {
                if (err) throw err;
                if (documents.length > 0) {
                    remove(documents);
                } else if (responseOptions.continuation) {
                    find(responseOptions.continuation);
                } else {
                    body.continuation = false;
                    response.setBody(body);
                }
            });
        if (!isAccepted) response.setBody(body);
    }

    function remove(documents) {
        if (documents.length === 0) return find();
        var isAccepted = collection.deleteDocument(documents[0]._self, {}, function (err) {
            if (err) throw err;
            body.deleted++;
            documents.shift();
            remove(documents);
        });
        if (!isAccepted) response.setBody(body);
    }
}

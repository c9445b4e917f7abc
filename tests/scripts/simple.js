function simple(prefix) {
    var collection = getContext().getCollection();
    var isAccepted = collection.queryDocuments(
        collection.getSelfLink(), 'SELECT * FROM root r',
        function (err, feed, options) {
            if (err) throw err;
            var response = getContext().getResponse();
            if (!feed || !feed.length) response.setBody('no docs found');
            else response.setBody(prefix + JSON.stringify(feed[0].id));
        });
    if (!isAccepted) throw new Error('The query was not accepted by the server.');
}

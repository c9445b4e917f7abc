function count(filterQuery, continuationToken) {
    var collection = getContext().getCollection();
    var maxResult = 25; // documents per page
    var result = 0;

    tryQuery(continuationToken);

    function tryQuery(nextContinuationToken) {
        var options = { continuation: nextContinuationToken, pageSize: maxResult };
        var isAccepted = filterQuery
            ? collection.queryDocuments(collection.getSelfLink(), filterQuery, options, onPage)
            : collection.readDocuments(collection.getSelfLink(), options, onPage);
        if (!isAccepted) setBody(nextContinuationToken);
    }

    function onPage(err, docFeed, options) {
        if (err) throw 'Error while reading: ' + err;
        result += docFeed.length;
        if (options.continuation) tryQuery(options.continuation);
        else setBody(null);
    }

    function setBody(continuation) {
        getContext().getResponse().setBody({ count: result, continuationToken: continuation });
    }
}

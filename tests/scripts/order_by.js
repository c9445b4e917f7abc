// Reads everything and sorts in the script, as was necessary before ORDER BY.
function orderBy(property, descending, top) {
    var collection = getContext().getCollection();
    var result = [];
    read();

    function read(continuation) {
        var accepted = collection.readDocuments(collection.getSelfLink(),
            { continuation: continuation, pageSize: 2 },
            function (err, feed, options) {
                if (err) throw err;
                result = result.concat(feed);
                if (options.continuation) read(options.continuation);
                else finish();
            });
        if (!accepted) throw new Error(ErrorCodes.RequestEntityTooLarge, 'Too many documents.');
    }

    function finish() {
        result.sort(function (a, b) {
            var order = a[property] < b[property] ? -1 : a[property] > b[property] ? 1 : 0;
            return descending ? -order : order;
        });
        getContext().getResponse().setBody(result.slice(0, top).map(function (d) { return d.id; }));
    }
}

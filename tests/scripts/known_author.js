// The database does not check references; this refuses a book with an unknown author.
function knownAuthor() {
    var collection = getContext().getCollection();
    var request = getContext().getRequest();
    var book = request.getBody();

    if (book.type !== 'book' || request.getOperationType() === 'Delete') return;
    var ids = (book.authors || []).map(function (author) { return author.id; });
    var query = {
        query: 'SELECT VALUE c.id FROM c WHERE c.type = "author" AND ARRAY_CONTAINS(@ids, c.id)',
        parameters: [{ name: '@ids', value: ids }]
    };
    var isAccepted = collection.queryDocuments(collection.getSelfLink(), query, function (err, known) {
        if (err) throw err;
        var unknown = ids.filter(function (id) { return known.indexOf(id) < 0; });
        if (ids.length === 0 || unknown.length > 0) {
            throw new Error(ErrorCodes.NotFound, 'Unknown author: ' + (unknown.join(', ') || 'none named'));
        }
    });
    if (!isAccepted) throw new Error('The authors could not be looked up.');
}

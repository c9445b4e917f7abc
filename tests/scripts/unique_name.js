function uniqueName() {
    var context = getContext();
    var collection = context.getCollection();
    var doc = context.getRequest().getBody();

    if (context.getRequest().getOperationType() !== 'Create') return;
    var query = {
        query: 'SELECT VALUE c.id FROM c WHERE c.name = @name',
        parameters: [{ name: '@name', value: doc.name }]
    };
    var isAccepted = collection.queryDocuments(collection.getSelfLink(), query, {},
        function (err, results) {
            if (err) throw new Error('Error querying: ' + err.message);
            if (results.length > 0) {
                throw new Error(ErrorCodes.Conflict, 'Document with name ' + doc.name + ' exists.');
            }
            doc.isUnique = true;
        });
    if (!isAccepted) throw new Error('The query timed out.');
}

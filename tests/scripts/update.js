// update('id', {$inc: {n: 1}, $set: {a: 'b'}}): reads, applies the operators, replaces.
function update(id, change) {
    var collection = getContext().getCollection();
    var response = getContext().getResponse();

    if (!id) throw new Error('The id is undefined or null.');
    if (!change) throw new Error('The update is undefined or null.');

    var querySpec = {
        query: 'SELECT * FROM root r WHERE r.id = @id',
        parameters: [{ name: '@id', value: id }]
    };
    var isAccepted = collection.queryDocuments(collection.getSelfLink(), querySpec,
        function (err, documents) {
            if (err) throw err;
            if (documents.length === 0) throw new Error(ErrorCodes.NotFound, 'Document not found.');
            apply(documents[0]);
        });
    if (!isAccepted) throw new Error('The query was not accepted.');

    function apply(document) {
        var operators = {
            $inc: function (name, by) { document[name] = (document[name] || 0) + by; },
            $set: function (name, value) { document[name] = value; },
            $unset: function (name) { delete document[name]; },
            $push: function (name, value) { document[name].push(value); },
            $max: function (name, value) { document[name] = Math.max(document[name], value); }
        };
        for (var operator in change) {
            for (var name in change[operator]) operators[operator](name, change[operator][name]);
        }
        var accepted = collection.replaceDocument(document._self, document, { etag: document._etag },
            function (err, replaced) {
                if (err) throw err;
                response.setBody(replaced);
            });
        if (!accepted) throw new Error('The update was not accepted.');
    }
}

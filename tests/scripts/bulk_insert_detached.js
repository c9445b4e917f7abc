// As migration tools do it: calls the method detached from its object, and collects errors instead of throwing.
function bulkInsert(docs, disableIdGeneration) {
    var response = { count: 0, errorCode: 0, errors: [] };
    var collection = getContext().getCollection();
    var link = collection.getSelfLink();
    var create = collection.createDocument;
    var options = { disableAutomaticIdGeneration: !!disableIdGeneration };

    var index = 0;
    next();

    function next() {
        if (index >= docs.length) return done();
        if (!create(link, docs[index], options, onCreated)) {
            response.errorCode = 429;
            done();
        }
    }
    function onCreated(err) {
        if (err) response.errors.push({ index: index, number: err.number, body: err.body });
        else response.count++;
        index++;
        next();
    }
    function done() {
        getContext().getResponse().setBody(response);
    }
}

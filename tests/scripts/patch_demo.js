function patchDemo(id) {
    var spec = {
        operations: [
            { op: 'add', path: '/newProperty', value: 1 },
            { op: 'incr', path: '/counter', value: 2 }
        ],
        condition: 'from c where c.counter < 10'
    };
    var isAccepted = __.patchDocument(__.getAltLink() + '/docs/' + id, spec, function (err, doc) {
        if (err) throw err;
        getContext().getResponse().setBody(doc.id);
    });
    if (!isAccepted) throw new Error('patch was not accepted');
}

function (property, continuationToken) {
    let sum = 0;
    const read = (continuation) => {
        const accepted = __.readDocuments(__.getSelfLink(), {continuation, pageSize: 10},
            (err, docs, options) => {
                if (err) throw err;
                for (const doc of docs) {
                    if (isNaN(doc[property])) throw new Error(400, `Not a number in ${doc.id}.`);
                    sum += doc[property];
                }
                if (options.continuation) read(options.continuation);
                else __.response.setBody({sum});
            });
        if (!accepted) __.response.setBody({sum, continuation});
    };
    read(continuationToken);
}

function async_sample() {
    const ERROR_CODE = { NOT_ACCEPTED: 429 };

    const asyncHelper = {
        queryDocuments(sqlQuery, options) {
            return new Promise((resolve, reject) => {
                const isAccepted = __.queryDocuments(__.getSelfLink(), sqlQuery, options,
                    (err, feed, options) => {
                        if (err) reject(err);
                        resolve({ feed, options });
                    });
                if (!isAccepted) reject(new Error(ERROR_CODE.NOT_ACCEPTED, 'not accepted'));
            });
        },
        replaceDocument(doc) {
            return new Promise((resolve, reject) => {
                const isAccepted = __.replaceDocument(doc._self, doc, (err, result, options) => {
                    if (err) reject(err);
                    resolve({ result, options });
                });
                if (!isAccepted) reject(new Error(ERROR_CODE.NOT_ACCEPTED, 'not accepted'));
            });
        },
    };

    async function main() {
        let continuation;
        let updated = 0;
        do {
            const { feed, options } = await asyncHelper.queryDocuments('SELECT * FROM c',
                                                                       { continuation, pageSize: 2 });
            for (const doc of feed) {
                if (doc.poison) throw new Error(1234, 'poisoned');
                doc.newProp = 1;
                await asyncHelper.replaceDocument(doc);
                updated++;
            }
            continuation = options.continuation;
        } while (continuation);
        getContext().getResponse().setBody(updated);
    }

    main().catch((err) => getContext().abort(err));
}

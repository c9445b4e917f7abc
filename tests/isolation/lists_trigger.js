// Post-trigger: appends a value to another item, both named by the written item, and fails if the
// written item says so.
function () {
    const container = getContext().getCollection(), link = container.getAltLink();
    const {pk, also} = getContext().getRequest().getBody();

    function expectAccepted(accepted) {
        if (!accepted) throw new Error('not accepted');
    }

    function done(error) {
        if (error) throw error;
        if (also.fails) throw new Error('as it was asked to');
    }

    expectAccepted(container.readDocument(link + '/docs/' + also.id, (error, item) => {
        if (error && error.number !== 404) throw error;
        if (error) {
            expectAccepted(container.createDocument(
                link, {id: also.id, pk, list: [also.value], n: 1}, done));
            return;
        }
        item.list.push(also.value);
        item.n++;
        expectAccepted(container.replaceDocument(item._self, item, done));
    }));
}

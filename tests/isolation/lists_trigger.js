// After a write of an item: appends a value to another item, both of which the first one names, and
// fails when it says so.
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

function createToDoItems(items) {
    const context = getContext();
    const container = context.getCollection();
    const link = container.getSelfLink();
    let count = 0;

    if (!Array.isArray(items)) throw new Error('The items are not an array.');
    for (const item of items) {
        const accepted = container.createDocument(link, { ...item, isDone: false }, (err) => {
            if (err) throw err;
            count++;
            context.getResponse().setBody(count);
        });
        if (!accepted) break;
    }
}

function resolver(incomingItem, existingItem, isTombstone, conflictingItems) {
    var collection = getContext().getCollection();

    if (isTombstone) return; // deletes always win
    if (existingItem && incomingItem.myCustomId > existingItem.myCustomId) return;
    if (conflictingItems.some(function (item) { return incomingItem.myCustomId > item.myCustomId; })) {
        return;
    }
    tryDelete(conflictingItems, incomingItem, existingItem);

    function tryDelete(documents, incoming, existing) {
        if (documents.length > 0) {
            collection.deleteDocument(documents[0]._self, {}, function (err) {
                if (err) throw err;
                documents.shift();
                tryDelete(documents, incoming, existing);
            });
        } else if (existing) {
            collection.replaceDocument(existing._self, incoming, onDone);
        } else {
            collection.createDocument(collection.getSelfLink(), incoming, onDone);
        }
    }
    function onDone(err) {
        if (err) throw err;
    }
}

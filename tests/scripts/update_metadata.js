function updateMetadata() {
    var collection = getContext().getCollection();
    var createdDoc = getContext().getResponse().getBody();

    if (createdDoc.isMetadata) return;
    if (isNaN(createdDoc.size)) return;
    var isAccepted = collection.queryDocuments(collection.getSelfLink(),
        'SELECT * FROM root r WHERE r.isMetadata = true',
        function (err, feed) {
            if (err) throw err;
            if (feed.length !== 1) throw new Error('Unable to find the metadata document.');
            var metadata = feed[0];
            metadata.min = metadata.min === undefined ? createdDoc.size
                                                      : Math.min(metadata.min, createdDoc.size);
            metadata.max = metadata.max === undefined ? createdDoc.size
                                                      : Math.max(metadata.max, createdDoc.size);
            metadata.total = (metadata.total || 0) + createdDoc.size;
            if (!collection.replaceDocument(metadata._self, metadata, function (err) {
                if (err) throw err;
            })) throw new Error('Unable to update metadata, abort');
        });
    if (!isAccepted) throw new Error('Unable to read metadata, abort');
}

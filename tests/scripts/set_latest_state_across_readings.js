// Makes a reading the latest of its metric: marks it, unmarks the previous one, and keeps the state
// of the device in one document. A reading older than the latest changes nothing.
function setLatestStateAcrossReadings(readingId) {
    var collection = getContext().getCollection();
    var stateLink = collection.getAltLink() + '/docs/latestState';

    if (!readingId) throw new Error(ErrorCodes.BadRequest, 'No reading is named.');
    accepted(collection.readDocument(collection.getAltLink() + '/docs/' + readingId,
        function (err, reading) {
            if (err) throw new Error(err.number, 'No reading ' + readingId + ': ' + err.message);
            findLatest(reading);
        }));

    function findLatest(reading) {
        var query = {
            query: 'SELECT * FROM r WHERE r.metricType = @type AND r.isLatest = true',
            parameters: [{ name: '@type', value: reading.metricType }]
        };
        accepted(collection.queryDocuments(collection.getSelfLink(), query, function (err, marked) {
            if (err) throw err;
            var isOld = marked.some(function (each) { return each.readingTime > reading.readingTime; });
            if (isOld) return getContext().getResponse().setBody({ latest: false });
            mark(reading, marked);
        }));
    }

    function mark(reading, marked) {
        marked.forEach(function (before) {
            delete before.isLatest;
            if (before.id !== reading.id) replace(before);
        });
        reading.isLatest = true;
        replace(reading, function () { keepState(reading); });
    }

    function keepState(reading) {
        accepted(collection.readDocument(stateLink, function (err, state) {
            if (err && err.number !== ErrorCodes.NotFound) throw err;
            if (state && !state.isState) throw new Error(ErrorCodes.Conflict, 'latestState is no state.');
            state = state || { id: 'latestState', deviceId: reading.deviceId, isState: true, metrics: {} };
            state.metrics[reading.metricType] = {
                readingId: reading.id, value: reading.metricValue, readingTime: reading.readingTime
            };
            accepted(collection.upsertDocument(collection.getSelfLink(), state, function (failed) {
                if (failed) throw failed;
                getContext().getResponse().setBody({ latest: true, metrics: state.metrics });
            }));
        }));
    }

    function replace(document, then) {
        accepted(collection.replaceDocument(document._self, document, { etag: document._etag },
            function (err) {
                if (err) throw err;
                if (then) then();
            }));
    }

    function accepted(isAccepted) {
        if (!isAccepted) throw new Error('Not accepted; nothing is changed.');
    }
}

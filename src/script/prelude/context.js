// The last part: what the engine calls. `configuration` is made by the engine, which also keeps it
// and reads the messages' values from it at the end.

function start(configuration) {
    const {selfLink, altLink, request, response, limits} = configuration;
    const collection = makeCollection(selfLink, altLink);
    const context = {
        getCollection: () => collection,
        abort: (error) => native.abort(error),
    };
    const shorthand = createObject(collection);
    const query = {};
    if (request) {
        const message = makeMessage(request, limits);
        context.getRequest = () => message;
        shorthand.request = message;
    }
    if (response) {
        const message = makeMessage(response, limits);
        context.getResponse = () => message;
        shorthand.response = message;
        query.getResponse = context.getResponse;
    }
    query.shorthand = shorthand;
    makeQueryApi(collection, query);
    collection.spatial = makeSpatial();

    const logging = request && request[logRequestHeader];
    if (logging && logging.value === 'true') consoleObject.log = makeLog(shorthand.response);
    defineGlobal('getContext', function getContext() {
        return context;
    });
    defineGlobal('__', shorthand);
}

// Any array-like object is taken for the arguments of a stored procedure.
function call(main, parameters) {
    return Reflect.apply(main, undefined, parameters === null ? [] : parameters);
}

defineGlobal('ErrorCodes', ErrorCodes);
defineGlobal('console', consoleObject);

return {start, call};

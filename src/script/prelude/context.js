// The last part: what the engine calls. Everything that does not depend on the execution is made
// when the global object is prepared. `configuration` is made by the engine, which also keeps it and
// reads the messages' values from it at the end.

// What differs from execution to execution.
const current = {selfLink: '', altLink: '', response: undefined, shorthand: undefined};

const collection = makeCollection(current);
makeQueryApi(collection, current);
collection.spatial = makeSpatial();
current.shorthand = createObject(collection);

const context = {
    getCollection: () => collection,
    abort: (error) => native.abort(error),
};
const getContext = function getContext() {
    return context;
};

function start(configuration) {
    const {request, response, limits} = configuration;
    current.selfLink = configuration.selfLink;
    current.altLink = configuration.altLink;
    const requestMessage = makeMessage(request, limits);
    context.getRequest = () => requestMessage;
    current.shorthand.request = requestMessage;
    if (response) {
        current.response = makeMessage(response, limits);
        context.getResponse = () => current.response;
        current.shorthand.response = current.response;
    }
    const logging = request[logRequestHeader];
    if (logging && logging.value === 'true') consoleObject.log = makeLog(current.response);
    defineGlobal('getContext', getContext);
    defineGlobal('__', current.shorthand);
}

// Any array-like object is taken for the arguments of a stored procedure.
function call(main, parameters) {
    return Reflect.apply(main, undefined, parameters === null ? [] : parameters);
}

defineGlobal('ErrorCodes', ErrorCodes);
defineGlobal('console', consoleObject);

return {start, call};

// The last part: the functions that the engine calls. Everything that does not depend on the
// execution is made when the global object is prepared and, unless the script changes it, reused by
// the next execution. The engine passes the execution to start(), keeps what it returns and reads
// the values of the messages from it at the end.

// State of the current execution; the engine clears it afterwards.
const current = {selfLink: '', altLink: '', response: undefined, shorthand: undefined};

const collection = makeCollection(current);
makeQueryApi(collection, current);
collection.spatial = makeSpatial();

// Returns the properties of both messages.
function start(execution) {
    current.selfLink = execution.selfLink;
    current.altLink = execution.altLink;
    const context = {
        getCollection: () => collection,
        abort: (error) => native.abort(error),
    };
    const shorthand = createObject(collection);
    current.shorthand = shorthand;
    const request = requestProperties(execution);
    const requestMessage = makeMessage(request);
    context.getRequest = () => requestMessage;
    shorthand.request = requestMessage;
    const response = responseProperties(execution);
    if (response) {
        const responseMessage = makeMessage(response);
        current.response = responseMessage;
        context.getResponse = () => responseMessage;
        shorthand.response = responseMessage;
    }
    if (execution.logging) {
        defineGlobal('console', makeConsole(makeLog(current.response)));
    }
    defineGlobal('getContext', function getContext() {
        return context;
    });
    defineGlobal('__', shorthand);
    return {request, response};
}

// Any array-like object is accepted as the arguments of a stored procedure.
function call(main, parameters) {
    return Reflect.apply(main, undefined, parameters === null ? [] : parameters);
}

defineGlobal('ErrorCodes', ErrorCodes);
defineGlobal('console', silentConsole);

// Objects that code can reach other than by global names: through the context (`__` inherits from
// the collection), and through syntax.
function hiddenObjects() {
    return [
        createObject(collection), queryFunctions, functionNames, typeRanks, operations, flags, kinds,
        native,
        ...[[][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().values(),
            ''.matchAll(/a/g), function* () {}, async function* () {}, async function () {}]
            .map(Object.getPrototypeOf),
    ];
}

// RegExp.$1, RegExp.input and the like expose the last match. (The engine's own function for
// clearing them leaves them in a state that crashes when read.)
function forgetMatches() {
    /(?:)/.exec('');
    RegExp.input = '';
}

return {start, call, current, silentConsole, hiddenObjects, forgetMatches};

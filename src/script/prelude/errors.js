'use strict';
// Captures what the prelude uses before user code can replace it. A script that alters the built-in
// prototypes can still break this API, but only for its own execution.
const parseJson = JSON.parse;
const stringifyJson = JSON.stringify;
const createObject = Object.create;
const defineProperty = Object.defineProperty;
const isArray = Array.isArray;

const ErrorCodes = Object.freeze({
    BadRequest: 400,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    PreconditionFailed: 412,
    RequestEntityTooLarge: 413,
    RetryWith: 449,
    InternalServerError: 500,
});

function badRequest(text) {
    return new Error(ErrorCodes.BadRequest, text);
}

function requireArguments(name, minimum, actual) {
    if (actual >= minimum) return;
    throw badRequest(`The function "${name}" requires at least ${minimum} argument(s) but was ` +
                     `called with ${actual} argument(s).`);
}

// A global name that is visible to scripts but not enumerable.
function defineGlobal(name, value) {
    defineProperty(globalThis, name,
                   {value, writable: true, configurable: true, enumerable: false});
}

// `console` is a function that carries the method; without a context, logging does nothing.
function makeConsole(log) {
    const object = function console() {
        return object;
    };
    object.log = log;
    return object;
}
const silentConsole = makeConsole(function log() {});

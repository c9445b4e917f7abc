// The query API: filter, map, pluck, flatten, unwind, sortBy and chains of them. Documents come
// from the feed (or from an ORDER BY query if the sort key is a plain path); everything else runs
// here, on the user's functions themselves, so captured variables work.

const chainOptions =
    'When using "chain", options can only be provided on the call to the "value" function';
const chainCallback =
    'When using "chain", the callback parameter can only be provided on the "value" function.';

// A page of results can end in the middle of the results of one page of documents. So a
// continuation holds where to read from and how many of those results have been delivered:
// "<count>:<token>".
function parseContinuation(text) {
    if (!text) return {skip: 0, token: ''};
    const parts = /^(\d{1,15}):([^]*)$/.exec(String(text));
    if (!parts) throw badRequest('Invalid continuation token.');
    return {skip: Number(parts[1]), token: parts[2]};
}

function printContinuation(skip, token) {
    return skip > 0 || token ? `${skip}:${token}` : '';
}

const typeRanks = {undefined: 0, boolean: 2, number: 3, string: 4};

// The order of ORDER BY: undefined, null, booleans, numbers, strings, arrays, objects.
function rank(value) {
    if (value === null) return 1;
    if (isArray(value)) return 5;
    const known = typeRanks[typeof value];
    return known === undefined ? 6 : known;
}

function compareKeys(a, b) {
    const byType = rank(a.key) - rank(b.key);
    if (byType !== 0 || rank(a.key) > 4 || a.key === b.key) return byType;
    return a.key < b.key ? -1 : 1;
}

function sorted(rows, key, descending) {
    const keyed = rows.map((row) => ({row, key: key(row)}));
    keyed.sort(descending ? (a, b) => compareKeys(b, a) : compareKeys);
    return keyed.map((entry) => entry.row);
}

function flattened(rows, isShallow) {
    return rows.flat(isShallow ? 1 : Infinity);
}

function unwound(rows, selectCollection, selectResult) {
    const result = [];
    for (const row of rows) {
        const inner = selectCollection(row);
        if (!isArray(inner)) continue;
        for (const element of inner) {
            const selected = selectResult ? selectResult(row, element) : element;
            for (const value of isArray(selected) ? selected : [selected]) result.push(value);
        }
    }
    return result;
}

// `function (x) { return x.a.b; }` and `x => x.a.b` → ["a"]["b"]; undefined for anything else.
function sortPath(key) {
    // A new object each time: an execution must not be able to change it for the next.
    const simpleKey = /^(?:function\s*[\w$]*\s*\(\s*([\w$]+)\s*\)\s*\{\s*return\s+([\w$]+)((?:\.[\w$]+)+)\s*;?\s*\}|\(?\s*([\w$]+)\s*\)?\s*=>\s*([\w$]+)((?:\.[\w$]+)+))$/;
    const parts = simpleKey.exec(Function.prototype.toString.call(key).trim());
    if (!parts) return undefined;
    const [parameter, object, path] = parts[1] ? parts.slice(1, 4) : parts.slice(4, 7);
    if (parameter !== object) return undefined;
    return path.slice(1).split('.').map((name) => `["${name}"]`).join('');
}

// The source of the documents, and the remaining steps.
function planOf(steps) {
    const sorts = steps.filter((step) => step.key);
    if (sorts.length === 0) return {steps, all: false, query: undefined};
    const first = steps.indexOf(sorts[0]);
    const path = sorts.length === 1 && steps.slice(0, first).every((step) => step.isFilter)
        ? sortPath(sorts[0].key) : undefined;
    if (path === undefined) return {steps, all: true, query: undefined};
    const direction = sorts[0].descending ? 'DESC' : 'ASC';
    return {
        steps: steps.filter((step) => !step.key),
        all: false,
        query: stringifyJson({query: `SELECT VALUE r FROM r ORDER BY r${path} ${direction}`}),
    };
}

function readPage(plan, token, options, done) {
    const kind = plan.query ? operations.query : operations.readFeed;
    const pageSize = options.pageSize === -1 ? -1 : Math.max(options.pageSize, pageSizeDefault);
    return submit(kind, null,
                  {text: plan.query, continuation: token, pageSize, flags: options.flags}, done);
}

// Reads pages until there are enough results or the budget is exhausted, then calls back once.
// Returns whether the first read was accepted.
function gather(plan, options, callback) {
    const results = [];
    let {skip, token} = parseContinuation(options.continuation);
    let documents = [];
    const deliver = (pageOptions, continuation) => {
        if (continuation) pageOptions.continuation = continuation;
        else delete pageOptions.continuation;
        callback(undefined, results, pageOptions);
    };
    const take = (rows, next, pageOptions) => {
        const room = options.pageSize === -1 ? Infinity : options.pageSize - results.length;
        const fresh = rows.slice(skip, skip + room);
        for (const row of fresh) results.push(row);
        if (skip + fresh.length < rows.length) {
            return deliver(pageOptions, printContinuation(skip + fresh.length, token));
        }
        skip = 0;
        token = next;
        const isFull = options.pageSize === -1 || results.length >= options.pageSize;
        if (!next || isFull || !read()) deliver(pageOptions, printContinuation(0, next || ''));
    };
    const onPage = (error, page, pageOptions) => {
        if (error) return callback(error);
        const next = pageOptions.continuation;
        let rows;
        try {
            if (plan.all) {
                documents = documents.concat(page);
                if (next && readPage(plan, next, options, onPage)) return;
                if (next) throw badRequest('There are too many documents to sort.');
            }
            rows = plan.steps.reduce((input, step) => step.apply(input),
                                     plan.all ? documents : page);
        } catch (failure) {
            return callback(failure);
        }
        take(rows, plan.all ? '' : next, pageOptions);
    };
    const read = () => readPage(plan, token, options, onPage);
    return read();
}

function makeQueryApi(collection, current) {
    function appendToResponse(error, results) {
        if (error) throw error;
        if (!current.response) {
            throw badRequest('The callback function must be provided for scenarios, such as ' +
                             'pre-trigger, when response object is not available.');
        }
        current.response.appendBody(stringifyJson(results));
    }

    function run(steps, options, callback) {
        const tail = checkOptionsAndCallback(options, callback);
        const request = {
            pageSize: pageSizeOf(tail.options),
            continuation: tail.options.continuation,
            flags: queryFlags(tail.options),
        };
        return {isAccepted: gather(planOf(steps), request, tail.callback || appendToResponse)};
    }

    // `steps` are the earlier steps of a chain; undefined outside of chains.
    function proceed(steps, step, options, callback) {
        if (!steps) return run([step], options, callback);
        if (typeof options === 'function') throw badRequest(chainCallback);
        if (options) throw badRequest(chainOptions);
        if (callback) throw badRequest(chainCallback);
        return makeChain([...steps, step]);
    }

    function makeChain(steps) {
        const chain = {isAccepted: native.accepts()};
        if (chain.isAccepted) {
            defineFunctions(chain, steps);
            chain.value = (options, callback) => run(steps, options, callback);
        } else {
            for (const name of [...functionNames, 'value']) chain[name] = () => chain;
        }
        return chain;
    }

    // The first argument may be the collection.
    function own(args) {
        const isCollection = args[0] === collection || args[0] === current.shorthand;
        return isCollection ? args.slice(1) : args;
    }

    function defineFunctions(target, steps) {
        for (const name of functionNames) {
            target[name] = {[name]: (...args) => {
                const {step, rest} = queryFunctions[name](own(args));
                return proceed(steps, step, ...rest);
            }}[name];
        }
    }

    defineFunctions(collection, undefined);
    collection.chain = () => makeChain([]);
    // Functions see their captures without it; it exists for scripts that use it.
    defineProperty(collection, 'proxy', {
        value: (captures) => createObject(current.shorthand, {
            captures: {value: captures, writable: true, enumerable: true, configurable: true},
        }),
    });
}

// Returns, from the arguments of a query function, the step and the options and callback that
// follow.
const queryFunctions = {
    filter(args) {
        const predicate = requirePredicate(args[0]);
        const apply = (rows) => rows.filter((row) => predicate(row));
        return {step: {apply, isFilter: true}, rest: args.slice(1, 3)};
    },
    map(args) {
        const transform = requirePredicate(args[0]);
        return {step: {apply: (rows) => rows.map((row) => transform(row))}, rest: args.slice(1, 3)};
    },
    pluck(args) {
        const name = args[0];
        if (typeof name !== 'string' || name === '') {
            throw badRequest('The property name must be a string and cannot be empty.');
        }
        const valueOf = (row) => row === null || row === undefined ? undefined : row[name];
        const apply = (rows) => rows.map(valueOf).filter((value) => value !== undefined);
        return {step: {apply}, rest: args.slice(1, 3)};
    },
    flatten(args) {
        const isGiven = typeof args[0] === 'boolean';
        const isShallow = isGiven && args[0];
        return {step: {apply: (rows) => flattened(rows, isShallow)},
                rest: isGiven ? args.slice(1, 3) : args.slice(0, 2)};
    },
    unwind(args) {
        const [select, result] = args;
        if (!select) throw badRequest('When using "unwind", "collectionSelector" must be used.');
        if (typeof select !== 'function') {
            throw badRequest('When using "unwind", "collectionSelector" must be a function.');
        }
        if (select.length !== 1) throw badRequest('"collectionSelector" requires one argument.');
        // A function with fewer parameters could also be meant as the callback; the service treats
        // it as the result selector and refuses it.
        const hasResult = typeof result === 'function';
        if (hasResult && result.length < 2) {
            throw badRequest('"resultSelector" requires two arguments.');
        }
        return {step: {apply: (rows) => unwound(rows, select, hasResult ? result : undefined)},
                rest: hasResult ? args.slice(2, 4) : args.slice(1, 3)};
    },
    sortBy: (args) => sortStep(args, false),
    sortByDescending: (args) => sortStep(args, true),
};
const functionNames = Object.keys(queryFunctions);

function requirePredicate(value) {
    if (typeof value === 'function') return value;
    throw badRequest('The predicate/transform function must be provided.');
}

function sortStep(args, descending) {
    const key = requirePredicate(args[0]);
    const apply = (rows) => sorted(rows, key, descending);
    return {step: {apply, key, descending}, rest: args.slice(1, 3)};
}

function makeSpatial() {
    const spatial = {};
    const define = (name, count) => {
        spatial[name] = {[name]: (...args) => {
            requireArguments(name, count, args.length);
            const texts = args.slice(0, count).map((value, i) => {
                if (value !== null && typeof value === 'object') return stringifyJson(value);
                throw badRequest(`The value specified by the "geoJSON${count > 1 ? i + 1 : ''}" ` +
                                 'parameter is not a valid GeoJSON object. Example of valid ' +
                                 'GeoJSON object: { "type": "Point", "coordinates": ' +
                                 '[-122.3331, 47.6097] }.');
            });
            return parseJson(native.spatial(name, texts[0], texts[1] || ''));
        }}[name];
    };
    define('distance', 2);
    define('intersects', 2);
    define('within', 2);
    define('isValid', 1);
    define('isValidDetailed', 1);
    return spatial;
}

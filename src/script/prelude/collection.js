// The collection object: checks arguments; the engine runs the operation (native.submit). No method
// uses `this`, because scripts detach them.

// Same numbers as script::OperationKind.
const operations = {read: 0, readFeed: 1, query: 2, create: 3, upsert: 4, replace: 5, remove: 6,
                    patch: 7, attachment: 8};
// The bits of native.submit's flags.
const flags = {enableScan: 1, enableLowPrecisionOrderBy: 2, indexInclude: 4, indexExclude: 8};

const pageSizeDefault = 100;

function outsideCollection(link) {
    return badRequest('Function is not allowed to operate on resources outside current ' +
                      `collection. Make sure that the link provided, "${link}", belongs to ` +
                      'current collection.');
}

// Splits a link whose literal segments are `names`; allows one trailing slash.
function segmentsOf(link, names, what) {
    const segments = typeof link === 'string' ? link.split('/') : [];
    const count = 2 * names.length;
    const hasLength = segments.length === count ||
                      (segments.length === count + 1 && segments[count] === '');
    if (!hasLength || !names.every((name, i) => segments[2 * i].toLowerCase() === name)) {
        throw badRequest(`Invalid ${what} link: "${String(link)}".`);
    }
    return segments;
}

function checkOptionsAndCallback(options, callback) {
    if (callback === undefined && typeof options === 'function') {
        callback = options;
        options = undefined;
    }
    if (options !== undefined && typeof options !== 'object') {
        throw badRequest('The "options" parameter must be of type "object". Actual type is: ' +
                         `"${typeof options}".`);
    }
    if (callback !== undefined && callback !== null && typeof callback !== 'function') {
        throw badRequest('The "callback" parameter must be of type "function". Actual type is: ' +
                         `"${typeof callback}".`);
    }
    return {options: options || {}, callback: callback || undefined};
}

function pageSizeOf(options) {
    const size = Math.trunc(Number(options.pageSize || pageSizeDefault));
    if (size >= 1 || size === -1) return size;
    throw badRequest(`The page size "${String(options.pageSize)}" is not valid.`);
}

function indexFlags(options) {
    switch (options.indexAction || 'default') {
        case 'default': return 0;
        case 'include': return flags.indexInclude;
        case 'exclude': return flags.indexExclude;
        default: throw badRequest(`Invalid index action: "${String(options.indexAction)}".`);
    }
}

function queryFlags(options) {
    return (options.enableScan === true ? flags.enableScan : 0) |
           (options.enableLowPrecisionOrderBy === true ? flags.enableLowPrecisionOrderBy : 0);
}

// The text of a document body. With `generate`, a missing id is added to a copy.
function bodyText(body, generate) {
    if (body === null || (typeof body !== 'object' && typeof body !== 'string')) {
        throw badRequest('The document body must be an object or a string representing a ' +
                         'JSON-serialized object.');
    }
    if (generate) {
        const parsed = typeof body === 'string' ? parseJson(body) : body;
        if (parsed !== null && typeof parsed === 'object' && !parsed.id) {
            const copy = {};
            for (const name in parsed) copy[name] = parsed[name];
            copy.id = native.newId();
            body = copy;
        }
    }
    return typeof body === 'string' ? body : stringifyJson(body);
}

function querySpec(query) {
    if (typeof query === 'string') return stringifyJson({query});
    if (typeof query === 'object') return stringifyJson(query);
    throw badRequest('The "filterQuery" parameter must be of type "string" or "object". ' +
                     `Actual type is: "${typeof query}".`);
}

// The engine calls completions with (error, value, options). Without a callback, an error
// propagates and fails the script.
function completion(callback) {
    return (error, value, options) => {
        if (callback) {
            if (error) callback(error);
            else callback(undefined, value, options);
        } else if (error) {
            throw error;
        }
    };
}

function deleteCompletion(callback) {
    return completion(callback && ((error, value, options) =>
        error ? callback(error) : callback(undefined, options)));
}

function submit(kind, link, request, done) {
    return native.submit(kind, link ? link.name : '', link ? link.isRid : false,
                         request.text || '', String(request.etag || ''),
                         String(request.continuation || ''), request.pageSize || 0,
                         request.flags || 0, done);
}

function makeLinks(current) {
    function checkCollection(link) {
        segmentsOf(link, ['dbs', 'colls'], 'collection');
        if (link !== current.selfLink && link !== current.altLink) throw outsideCollection(link);
    }
    // The document by rid (self link) or id (alt link).
    function document(link, names, what) {
        const segments = segmentsOf(link, names || ['dbs', 'colls', 'docs'], what || 'document');
        if (link.startsWith(current.selfLink)) return {name: segments[5], isRid: true};
        if (link.startsWith(current.altLink + '/')) return {name: segments[5], isRid: false};
        throw outsideCollection(link);
    }
    return {
        checkCollection,
        document,
        attachment: (link) => document(link, ['dbs', 'colls', 'docs', 'attachments'], 'attachment'),
    };
}

function defineReads(collection, links) {
    collection.readDocument = function readDocument(link, options, callback) {
        requireArguments('readDocument', 1, arguments.length);
        const document = links.document(link);
        const tail = checkOptionsAndCallback(options, callback);
        return submit(operations.read, document, {etag: tail.options.ifNoneMatch},
                      completion(tail.callback));
    };
    collection.readDocuments = function readDocuments(link, options, callback) {
        requireArguments('readDocuments', 1, arguments.length);
        links.checkCollection(link);
        const tail = checkOptionsAndCallback(options, callback);
        const {continuation} = tail.options;
        return submit(operations.readFeed, null,
                      {continuation, pageSize: pageSizeOf(tail.options)},
                      completion(tail.callback));
    };
    collection.queryDocuments = function queryDocuments(link, query, options, callback) {
        requireArguments('queryDocuments', 2, arguments.length);
        links.checkCollection(link);
        const text = querySpec(query);
        const tail = checkOptionsAndCallback(options, callback);
        const {continuation} = tail.options;
        return submit(operations.query, null,
                      {text, continuation, pageSize: pageSizeOf(tail.options),
                       flags: queryFlags(tail.options)},
                      completion(tail.callback));
    };
}

function defineWrites(collection, links) {
    function insert(name, kind) {
        collection[name] = {[name](link, body, options, callback) {
            requireArguments(name, 2, arguments.length);
            links.checkCollection(link);
            const tail = checkOptionsAndCallback(options, callback);
            const text = bodyText(body, tail.options.disableAutomaticIdGeneration !== true);
            const etag = kind === operations.upsert ? tail.options.etag : '';
            return submit(kind, null, {text, etag, flags: indexFlags(tail.options)},
                          completion(tail.callback));
        }}[name];
    }
    function change(name, kind, textOf) {
        collection[name] = {[name](link, body, options, callback) {
            requireArguments(name, 2, arguments.length);
            const document = links.document(link);
            const tail = checkOptionsAndCallback(options, callback);
            return submit(kind, document,
                          {text: textOf(body), etag: tail.options.etag,
                           flags: indexFlags(tail.options)},
                          completion(tail.callback));
        }}[name];
    }
    insert('createDocument', operations.create);
    insert('upsertDocument', operations.upsert);
    change('replaceDocument', operations.replace, (body) => bodyText(body, false));
    change('patchDocument', operations.patch, patchText);
    collection.deleteDocument = function deleteDocument(link, options, callback) {
        requireArguments('deleteDocument', 1, arguments.length);
        const document = links.document(link);
        const tail = checkOptionsAndCallback(options, callback);
        const {etag, partitionKeyContent} = tail.options;
        return submit(operations.remove, document, {text: partitionKeyContent, etag},
                      deleteCompletion(tail.callback));
    };
}

function patchText(specification) {
    if (specification === null || typeof specification !== 'object') {
        throw badRequest('Invalid patch request: check syntax of patch specification.');
    }
    return stringifyJson(isArray(specification) ? {operations: specification} : specification);
}

// Attachments are not available to scripts: the calls check their arguments and fail.
function defineAttachments(collection, links) {
    function refuse(name, minimum, check, done) {
        collection[name] = {[name](link, ...rest) {
            requireArguments(name, minimum, arguments.length);
            check(link);
            const tail = checkOptionsAndCallback(rest[minimum - 1], rest[minimum]);
            return submit(operations.attachment, null, {}, (done || completion)(tail.callback));
        }}[name];
    }
    refuse('readAttachment', 1, links.attachment);
    refuse('readAttachments', 1, links.document);
    refuse('queryAttachments', 2, links.document);
    refuse('createAttachment', 2, links.document);
    refuse('upsertAttachment', 2, links.document);
    refuse('replaceAttachment', 2, links.attachment);
    refuse('deleteAttachment', 1, links.attachment, deleteCompletion);
}

function makeCollection(current) {
    const collection = {
        getSelfLink: () => current.selfLink,
        getAltLink: () => current.altLink,
    };
    const links = makeLinks(current);
    defineReads(collection, links);
    defineWrites(collection, links);
    defineAttachments(collection, links);
    defineProperty(collection, 'getPartitionKeyDefinition',
                   {value: () => parseJson(native.partitionKeyDefinition())});
    return collection;
}

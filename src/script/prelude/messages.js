// Request and response: maps from a key to {value, isWritable}. The engine reads the values after
// the script has ended, so a body is kept by reference, and an object changed after setBody() is
// sent as it is at the end.

const logRequestHeader = 'x-ms-documentdb-script-enable-logging';
const logResponseHeader = 'x-ms-documentdb-script-log-results';

function lengthOf(value) {
    if (value === undefined || value === null) return 0;
    const text = typeof value === 'object' ? stringifyJson(value) : value.toString();
    return text === undefined ? 0 : text.length;
}

function checkedSize(key, value, already, limit) {
    const size = already + lengthOf(value);
    if (size <= limit) return size;
    throw new Error(ErrorCodes.RequestEntityTooLarge,
                    `Resulting message would be too large because of "${key}". Return from ` +
                    'script with current message and use continuation token to call the script ' +
                    'again or modify your script.');
}

function readable(value) {
    return {value, isWritable: false};
}

function writable(value) {
    return {value, isWritable: true};
}

// What a script receives and may answer. Same numbers as script::ScriptKind; bodies are JSON.
const kinds = {storedProcedure: 0, preTrigger: 1, postTrigger: 2};

function requestProperties({kind, logging, operationType, requestBody}) {
    if (kind === kinds.storedProcedure) return {[logRequestHeader]: readable(String(logging))};
    const properties = {OperationType: readable(operationType)};
    if (requestBody) {
        const body = parseJson(requestBody);
        properties.Body = kind === kinds.preTrigger ? writable(body) : readable(body);
    }
    return properties;
}

function responseProperties({kind, responseBody, quotaUsage, quotaLimits}) {
    switch (kind) {
        case kinds.storedProcedure:
            return {Body: writable(''), [logResponseHeader]: writable('')};
        case kinds.postTrigger:
            return {
                Body: writable(responseBody ? parseJson(responseBody) : ''),
                ResourceQuotaCurrentUsage: readable(quotaUsage),
                MaxResourceQuota: readable(quotaLimits),
            };
        default:
            return undefined;
    }
}

function makeMessage(properties) {
    const sizes = createObject(null);

    function limitOf(key) {
        return key === logResponseHeader ? native.logUnitsMax : native.messageUnitsMax;
    }

    function writableProperty(key) {
        const property = properties[key];
        if (property === undefined) throw badRequest('Cannot set new values: ' + key);
        if (!property.isWritable) {
            throw new Error(ErrorCodes.Forbidden, 'Not a writable property: ' + key);
        }
        return property;
    }

    function get(key) {
        if (key === undefined) return undefined;
        return properties[key].value;
    }

    function set(key, value) {
        if (key === undefined) return;
        const property = writableProperty(key);
        sizes[key] = checkedSize(key, value, 0, limitOf(key));
        property.value = value;
        property.isSet = true;
    }

    function append(key, value) {
        if (key === undefined) return;
        const property = writableProperty(key);
        const before = property.value;
        if (typeof before === 'string') {
            sizes[key] = checkedSize(key, value, sizes[key] || before.length, limitOf(key));
            property.value = before + value;
            property.isSet = true;
        } else {
            set(key, before === undefined || before === null ? value : before + value);
        }
    }

    const message = {};
    let anyWritable = false;
    for (const key in properties) {
        message['get' + key] = () => get(key);
        if (!properties[key].isWritable) continue;
        anyWritable = true;
        message['set' + key] = (value) => set(key, value);
        message['append' + key] = (value) => append(key, value);
    }
    message.getValue = (key) => get(key);
    if (anyWritable) {
        message.setValue = (key, value) => set(key, value);
        message.appendValue = (key, value) => append(key, value);
    }
    return message;
}

// Replaces '%s' by the next argument and '%%' by '%'.
function format(pattern, values) {
    let next = 0;
    return pattern.replace(/%(s|%)/g, (match, kind) => kind === '%' ? '%' : values[next++]);
}

function makeLog(response) {
    return function log(first, ...rest) {
        requireArguments('log', 1, arguments.length);
        if (arguments.length > 1 && typeof first !== 'string') {
            throw badRequest('First argument to console.log should be a string containing zero ' +
                             'or more substitution strings.');
        }
        const text = arguments.length === 1 ? first : format(first, rest);
        if (response) response.appendValue(logResponseHeader, text);
    };
}

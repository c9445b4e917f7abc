// Performs the given steps in order and returns what each of them saw:
//   ["read", id]  ["query", ids]  ["feed", ids]  ["replace" | "upsert" | "recreate" | "patch", id, value]
//   ["wait", milliseconds]
// With `fails` it throws at the end, after all its writes; the message has what it saw.
function (pk, steps, fails) {
    const container = getContext().getCollection(), link = container.getAltLink();

    function call(method, ...args) {
        return new Promise((resolve, reject) => {
            const accepted = container[method](...args, (error, result, options) => {
                if (error) reject(error);
                else resolve({result, options});
            });
            if (!accepted) reject(new Error(method + ' was not accepted'));
        });
    }

    async function read(id) {
        try {
            return (await call('readDocument', link + '/docs/' + id)).result;
        } catch (error) {
            if (error.number !== 404) throw error;
            return null;
        }
    }

    async function write(how, item, value) {
        const self = item._self;
        item.list.push(value);
        item.n = item.list.length;
        if (!self) return call('createDocument', link, item);
        if (how === 'upsert') return call('upsertDocument', link, item);
        if (how === 'replace') return call('replaceDocument', self, item);
        if (how === 'patch') {
            return call('patchDocument', self, {operations: [{op: 'add', path: '/list/-', value},
                                                             {op: 'incr', path: '/n', value: 1}]});
        }
        await call('deleteDocument', self);
        return call('createDocument', link, item);
    }

    // Reads all pages; in a script they share one snapshot.
    async function pages(method, ...args) {
        const items = [];
        let continuation;
        do {
            const page = await call(method, link, ...args, {pageSize: 50, continuation});
            items.push(...page.result);
            continuation = page.options.continuation;
        } while (continuation);
        return items;
    }

    const query = (ids) => ({query: 'SELECT c.id, c.list, c.n FROM c WHERE ARRAY_CONTAINS(@ids, c.id)',
                             parameters: [{name: '@ids', value: ids}]});
    const listsOf = (items) => items.map((item) => [item.id, item.list.slice(), item.n]);

    // Gives other clients time to change what has been read.
    function wait(milliseconds) {
        const end = Date.now() + milliseconds;
        while (Date.now() < end) {}
        return [];
    }

    async function take([what, target, value]) {
        if (what === 'wait') return wait(target);
        if (what === 'query') return listsOf(await pages('queryDocuments', query(target)));
        if (what === 'feed') {
            const items = await pages('readDocuments');
            return listsOf(items.filter((item) => target.includes(item.id)));
        }
        const item = await read(target);
        const seen = listsOf(item ? [item] : []);
        if (what !== 'read') await write(what, item || {id: target, pk, list: [], n: 0}, value);
        return seen;
    }

    async function main() {
        const seen = [];
        for (const step of steps) seen.push(await take(step));
        if (fails) throw new Error('seen' + JSON.stringify(seen) + 'seen');
        getContext().getResponse().setBody(seen);
    }

    main().catch((error) => getContext().abort(error));
}

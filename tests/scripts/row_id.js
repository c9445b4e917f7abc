// The number in the last eight bytes of an item's _rid, least significant byte first.
function rowId(item) {
    if (!item || typeof item._rid !== 'string') return undefined;
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-';
    const bytes = [];
    let bits = 0;
    let held = 0;
    for (const letter of item._rid.replace(/=+$/, '').replace(/\//g, '-')) {
        held = (held << 6 | digits.indexOf(letter)) & 0xffff;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push(held >> bits & 0xff);
    }
    if (bytes.length !== 16) return undefined;
    return bytes.slice(8).reduceRight((number, byte) => number * 256 + byte, 0);
}

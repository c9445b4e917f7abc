// Stores a book and increments the book count of each of its authors, atomically.
function addBook(book) {
    const collection = getContext().getCollection();
    const counts = {};

    if (!book || !Array.isArray(book.authors) || book.authors.length === 0) {
        throw new Error(ErrorCodes.BadRequest, 'A book needs authors.');
    }
    start(collection.createDocument(collection.getSelfLink(), book, (err) => {
        if (err) throw err;
        countAt(0);
    }));

    function countAt(index) {
        if (index === book.authors.length) {
            console.log('%s counted at %s authors', book.id, index);
            return getContext().getResponse().setBody({ book: book.id, counts });
        }
        const id = book.authors[index].id;
        start(collection.readDocument(`${collection.getAltLink()}/docs/${id}`, (err, author) => {
            if (err) throw new Error(err.number, `No author ${id}.`);
            author.countOfBooks += 1;
            author.books.push(book.id);
            start(collection.replaceDocument(author._self, author, { etag: author._etag }, (failed) => {
                if (failed) throw failed;
                counts[id] = author.countOfBooks;
                countAt(index + 1);
            }));
        }));
    }

    function start(isAccepted) {
        if (!isAccepted) throw new Error('Not accepted; the book is not stored.');
    }
}

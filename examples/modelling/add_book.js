// Stores a book and counts it at its author, or does neither. Both documents have the author's id as partition key.
function addBook(book) {
    const container = getContext().getCollection();

    start(container.createDocument(container.getSelfLink(), book, (failed) => {
        if (failed) throw failed;
        start(container.readDocument(`${container.getAltLink()}/docs/${book.authorId}`, count));
    }));

    function count(failed, author) {
        // Whatever is thrown takes back the book as well.
        if (failed) throw new Error(failed.number, `No author ${book.authorId}.`);
        author.countOfBooks += 1;
        author.books.push(book.id);
        start(container.replaceDocument(author._self, author, (refused) => {
            if (refused) throw refused;
            getContext().getResponse().setBody(author.countOfBooks);
        }));
    }

    function start(isAccepted) {
        if (!isAccepted) throw new Error('Out of time; nothing is stored.');
    }
}

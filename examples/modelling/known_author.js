// Pre-trigger: refuses a book whose author does not exist. The database itself does not check references.
function knownAuthor() {
    const container = getContext().getCollection();
    const book = getContext().getRequest().getBody();

    container.readDocument(`${container.getAltLink()}/docs/${book.authorId}`, (failed) => {
        if (failed) throw new Error(ErrorCodes.BadRequest, `There is no author ${book.authorId}.`);
    });
}

function validateToDoItemTimestamp() {
    var request = getContext().getRequest();
    var itemToCreate = request.getBody();
    if (!('timestamp' in itemToCreate)) {
        itemToCreate.timestamp = new Date().getTime();
    }
    request.setBody(itemToCreate);
}

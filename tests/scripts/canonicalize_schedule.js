// {schedule: {Monday: …}} → {schedule: {monday: …}}; drops names that are not days of the week.
function canonicalizeSchedule() {
    var days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    var doc = getContext().getRequest().getBody();
    if (!doc.schedule) return;
    var canonical = {};
    Object.keys(doc.schedule).forEach(function (key) {
        if (days.indexOf(key.toLowerCase()) >= 0) canonical[key.toLowerCase()] = doc.schedule[key];
    });
    doc.schedule = canonical;
    getContext().getRequest().setBody(doc);
}

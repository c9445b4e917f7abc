// Swaps the teams of two players, atomically.
function tradePlayers(playerId1, playerId2) {
    var container = getContext().getCollection();
    var response = getContext().getResponse();
    var player1, player2;

    read(playerId1, function (player) {
        player1 = player;
        read(playerId2, function (other) {
            player2 = other;
            swap();
        });
    });

    function read(id, then) {
        var accepted = container.readDocument(container.getAltLink() + '/docs/' + id, {},
            function (err, item) {
                if (err) throw new Error(err.number, 'Unable to read both players: ' + err.message);
                then(item);
            });
        if (!accepted) throw 'Unable to read player details, abort.';
    }

    function swap() {
        var team = player1.team;
        player1.team = player2.team;
        player2.team = team;
        [player1, player2].forEach(function (player) {
            var accepted = container.replaceDocument(player._self, player, function (err) {
                if (err) throw 'Unable to update players, abort.';
                response.setBody(true);
            });
            if (!accepted) throw 'Unable to update players, abort.';
        });
    }
}

// Counts words and sorts them.
function text(n) {
  var seed = 7, parts = [];
  for (var i = 0; i < n; i++) {
    seed = (seed * 1103515 + 12345) % 2147483;
    parts.push('w' + seed % 900);
  }
  return parts.join(' ');
}
for (var turn = 0; turn < 30; turn++) {
  var words = {};
  text(6000).split(/ /).forEach(function (w) { words[w] = (words[w] || 0) + 1; });
  var order = Object.keys(words).sort(function (a, b) { return words[b] - words[a] || (a < b ? -1 : 1); });
  print(turn, order.slice(0, 3).join(), JSON.stringify(words).length);
}


test('no change is named twice', () => {
  const beginnings = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(0, 60));
  expect(beginnings.filter((line, at) => beginnings.indexOf(line) !== at)).toEqual([]);
});

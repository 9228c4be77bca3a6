// The page of the studio.

function studioPage() {
  cutToSize(0);
  const tree = makeTreeSection(null);
  buildPage([], [tree.element]);
  tree.start();
}

studioPage();

// Runs before the first paint. The server has written the chosen theme and density into the page;
// only the system's theme is unknown to the server. Nothing is read from storage, which would delay
// the first paint.
;(function () {
  var root = document.documentElement
  if (root.dataset.theme !== 'dark' && root.dataset.theme !== 'light') {
    root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  root.dataset.density = root.dataset.density || 'compact'
})()

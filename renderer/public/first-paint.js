// Runs before the first paint. The server of the page has written the chosen theme and density into
// it; only the system's theme is known here alone. Nothing is read from storage: that would hold up
// the first paint.
;(function () {
  var root = document.documentElement
  if (root.dataset.theme !== 'dark' && root.dataset.theme !== 'light') {
    root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  root.dataset.density = root.dataset.density || 'compact'
})()

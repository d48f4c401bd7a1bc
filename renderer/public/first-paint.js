// Runs before the first paint, so that a theme other than the system's never flashes. The page keeps the hint current.
;(function () {
  var hint = {}
  try {
    hint = JSON.parse(localStorage.getItem('bridge-inspector.first-paint') || '{}')
  } catch {
    // No storage, no hint: use the system theme.
  }
  var dark = hint.theme === 'dark' || (hint.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.dataset.density = hint.density === 'comfortable' ? 'comfortable' : 'compact'
})()

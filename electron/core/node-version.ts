const [MIN_MAJOR, MIN_MINOR] = [22, 16]

/**
 * Says what to do about a Node whose SQLite is missing or has no full-text search; null for any
 * other. Such a Node loads the program's entries, so that they can say it.
 */
export function findNodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) return null
  return `Bridge Inspector needs Node ${MIN_MAJOR}.${MIN_MINOR} or newer, but runs in Node ${version}. Install a newer one from nodejs.org or with your version manager.`
}

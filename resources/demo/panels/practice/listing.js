// @ts-check
/*
 * Finds where this host serves its card listing: the contract shows the parameters of that route,
 * not its path.
 */

const DEFAULT_PATH = '/study-sets/{id}/tree'
const parameters = ['root', 'cursor', 'sort']

/** Tells whether a listed route names these parameters, in whatever form a host lists them. */
function hasListingParameters(route) {
  const text = JSON.stringify(route)
  return parameters.every((name) => new RegExp(`\\b${name}\\b`).test(text))
}

/**
 * Returns the path template of the card listing: the default one if the host lists it, else that of
 * the read with its parameters.
 */
export async function findListingPath() {
  const capabilities = await host.api('/capabilities')
  const routes = capabilities.error || !Array.isArray(capabilities.routes) ? [] : capabilities.routes
  const reads = routes.filter(({ method, path }) => method === 'GET' && /^\/study-sets\/\{\w+\}\//.test(path))
  if (reads.some(({ path }) => path.replace(/\{\w+\}/, '{id}') === DEFAULT_PATH)) return DEFAULT_PATH
  // A host that does not list its routes may still have the default one.
  return reads.find(hasListingParameters)?.path.replace(/\?.*|\{\?.*/, '') ?? DEFAULT_PATH
}

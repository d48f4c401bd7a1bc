/* Where this host serves its card listing: the contract shows the parameters of that route, not its path. */

const USUAL = '/study-sets/{id}/tree'
const parameters = ['root', 'cursor', 'sort']

/** Whether a listed route names these parameters, in whatever form a host gives them. */
function takesThem(route) {
  const told = JSON.stringify(route)
  return parameters.every((name) => new RegExp(`\\b${name}\\b`).test(told))
}

/** The template of the card listing: the usual one if the host lists it, else the read that takes its parameters. */
export async function listingPath() {
  const answer = await host.api('/capabilities')
  const routes = Array.isArray(answer.routes) ? answer.routes : []
  const reads = routes.filter(({ method, path }) => method === 'GET' && /^\/study-sets\/\{\w+\}\//.test(path))
  if (reads.some(({ path }) => path.replace(/\{\w+\}/, '{id}') === USUAL)) return USUAL
  // A host that says nothing of its routes may still have the usual one.
  return reads.find(takesThem)?.path.replace(/\?.*|\{\?.*/, '') ?? USUAL
}

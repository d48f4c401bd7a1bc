import { AppError } from '../../shared/errors.ts'
import { LICENSES_FILE, licensesSchema, type License } from '../../shared/licenses.ts'
import { useResource, type Resource } from './resource.ts'

/** The list comes from the build; call `reload` to load it, in a component's scope. */
export function useLicenses(): Resource<License[]> {
  return useResource(async (signal) => {
    const response = await fetch(`/${LICENSES_FILE}`, { signal })
    // A development server returns an HTML page for every unknown address.
    const isListPresent = response.ok && response.headers.get('content-type')?.startsWith('application/json')
    if (isListPresent) return licensesSchema.parse(await response.json())
    const message = 'The list is written when the program is built.'
    throw new AppError({ kind: 'internal', code: 'LICENSES_MISSING', message, retryable: false })
  })
}

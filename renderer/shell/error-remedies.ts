import { defineAsyncComponent, provide } from 'vue'
import { errorRemedyKey } from '../components/error-remedy.ts'
import { useConnection } from '../stores/connection.ts'

/** The field is loaded late, because few errors need it. */
const TokenField = defineAsyncComponent(() => import('../panes/TokenField.vue'))

/**
 * Provides the remedies of errors: if the connected host refused the token, a field for another
 * token.
 */
export function provideErrorRemedies(): void {
  const connection = useConnection()
  provide(errorRemedyKey, ({ status }) => {
    const { profile } = connection.state
    return status === 401 && profile ? { component: TokenField, props: { profileId: profile.id } } : null
  })
}

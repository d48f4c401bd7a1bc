import { defineAsyncComponent, provide } from 'vue'
import { errorRemedyKey } from '../components/error-remedy.ts'
import { useConnection } from '../stores/connection.ts'

/** The field is loaded late, because few errors need it. */
const TokenField = defineAsyncComponent(() => import('../panes/TokenField.vue'))

/** If the connected host refused the token, the remedy is a field for another one. */
export function provideErrorRemedies(): void {
  const connection = useConnection()
  provide(errorRemedyKey, ({ status }) => {
    const { profile } = connection.state
    return status === 401 && profile ? { component: TokenField, props: { profileId: profile.id } } : null
  })
}

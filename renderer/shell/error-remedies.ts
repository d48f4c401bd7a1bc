import { defineAsyncComponent, provide } from 'vue'
import { errorRemedyKey } from '../components/error-remedy.ts'
import { useConnection } from '../stores/connection.ts'

/** Few errors need it. */
const TokenField = defineAsyncComponent(() => import('../panes/TokenField.vue'))

/** Wherever the connected host refuses the token, the error has the field for another one. */
export function provideErrorRemedies(): void {
  const connection = useConnection()
  provide(errorRemedyKey, ({ status }) => {
    const { profile } = connection.state
    return status === 401 && profile ? { component: TokenField, props: { profileId: profile.id } } : null
  })
}

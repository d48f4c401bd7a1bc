/** What can be sent as a token: printable ASCII without spaces. */
export const tokenPattern = /^[\x21-\x7e]+$/

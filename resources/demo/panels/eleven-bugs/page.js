export const getElement = (id) => document.getElementById(id)

export const showResult = (text) => (getElement('result').textContent = text)

export const createId = () => crypto.randomUUID()

export const createPost = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

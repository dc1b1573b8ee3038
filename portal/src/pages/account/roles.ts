/** The roles that people and tokens have in an account, as the API numbers them. */
export const ROLES = [
  { value: '2', label: 'Administrators: everything' },
  { value: '5', label: 'Engineers: change infrastructure' },
  { value: '1', label: 'Users: look at infrastructure' },
] as const;

// Whether addresses of tensors have been given to the user, who may give them to kernels.

export const addresses = { areGiven: false };

// Vigil
